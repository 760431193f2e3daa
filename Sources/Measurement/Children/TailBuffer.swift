// SPDX-License-Identifier: Apache-2.0

/// Keeps the end of a stream of bytes.
struct TailBuffer {
  private var bytes: [UInt8] = []
  private var dropped = false
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func append(_ more: ArraySlice<UInt8>) {
    bytes.append(contentsOf: more)
    if bytes.count > limit {
      bytes.removeFirst(bytes.count - limit)
      dropped = true
    }
  }

  /// The kept text, from the start of a line when something before it was dropped, without the last
  /// line feed.
  var text: String {
    var kept = bytes[...]
    if dropped, let end = kept.firstIndex(of: UInt8(ascii: "\n")) {
      kept = kept[(end + 1)...]
    }
    if kept.last == UInt8(ascii: "\n") { kept.removeLast() }
    return (dropped ? "…\n" : "") + String(decoding: kept, as: UTF8.self)
  }
}
