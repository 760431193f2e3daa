// SPDX-License-Identifier: Apache-2.0

/// Text on its way to a sink, in pieces.
///
/// An export of a long recording is larger than its recording: whoever writes one drains the buffer
/// after every event, so that no more than a piece is in memory. One thread.
struct TextBuffer {
  /// What has been written and not drained.
  private(set) var bytes: [UInt8] = []
  /// Bytes from which on a piece goes to the sink.
  private static let pieceSize = 1 << 16

  init() { bytes.reserveCapacity(Self.pieceSize + 1024) }

  /// Appends text as it is.
  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends a whole number in decimal.
  mutating func append(_ number: some FixedWidthInteger) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(UInt64(number.magnitude), atLeast: 1)
  }

  /// Appends nanoseconds as microseconds with three decimals, exactly.
  mutating func append(microsecondsOf nanoseconds: Int64) {
    if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(nanoseconds.magnitude / 1000, atLeast: 1)
    bytes.append(UInt8(ascii: "."))
    appendDigits(nanoseconds.magnitude % 1000, atLeast: 3)
  }

  /// Appends a coordinate with at most two decimals.
  mutating func append(coordinate: Double) {
    let hundredths = Int64((coordinate * 100).rounded())
    if hundredths < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(hundredths.magnitude / 100, atLeast: 1)
    let rest = hundredths.magnitude % 100
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    if rest.isMultiple(of: 10) {
      appendDigits(rest / 10, atLeast: 1)
    } else {
      appendDigits(rest, atLeast: 2)
    }
  }

  /// Gives the sink what is there, when that is a piece or `whole` asks for all.
  mutating func drain<Failure: Error>(
    to sink: ([UInt8]) throws(Failure) -> Void, whole: Bool = false
  ) throws(Failure) {
    guard bytes.count >= Self.pieceSize || whole && !bytes.isEmpty else { return }
    try sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func appendDigits(_ number: UInt64, atLeast width: Int) {
    let start = bytes.count
    var rest = number
    while rest > 0 || bytes.count - start < width {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    bytes[start...].reverse()
  }
}
