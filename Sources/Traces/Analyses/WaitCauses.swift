// SPDX-License-Identifier: Apache-2.0

/// Whose fault the waiting of ready operations was.
///
/// The wait of an operation runs from when its dependencies had finished until it started. Each
/// nanosecond of it has one cause by the rules of `WaitCause`; the shares are whole nanoseconds and
/// sum to the wait exactly.
package struct WaitCauses: Sendable, Equatable {
  /// An operation that waited long.
  package struct Offender: Sendable, Equatable {
    /// Index into `Trace.operations`.
    package let operation: UInt32
    package let shares: WaitShares
  }

  /// All waits together.
  package let total: WaitShares
  /// The waits by index of the queue; the last is of operations outside of queues.
  package let byQueue: [WaitShares]
  /// Operations that waited.
  package let waited: Int
  /// Operations that started before they were ready, since clocks differ; they have no wait.
  package let negative: Int
  /// The largest cause of each operation; nil where it did not wait.
  package var largest: [WaitCause?] { codes.map { WaitCause(rawValue: Int($0)) } }
  /// The operations that waited longest, the longest first.
  package let longest: [Offender]

  private let codes: [UInt8]
  private static let noCause = UInt8.max
  private static let longestKept = 20

  init(_ trace: Trace, waits: ReadyWaits, attribution: WaitAttribution) {
    var queries: [WaitAttribution.Query] = []
    queries.reserveCapacity(trace.operations.count)
    var negative = 0
    for (index, operation) in trace.operations.enumerated() {
      let (begin, end) = (waits.begin[index], operation.startedTime)
      guard begin != .min, end != .min else { continue }
      if end < begin { negative += 1 }
      if end > begin {
        queries.append(.init(operation: UInt32(index), begin: begin, end: end))
      }
    }
    var total = WaitShares()
    var byQueue = Array(repeating: WaitShares(), count: trace.queues.count + 1)
    var codes = [UInt8](repeating: Self.noCause, count: trace.operations.count)
    var longest = LongestWaits(limit: Self.longestKept)
    attribution.sweep(queries) { query, shares in
      let index = Int(queries[query].operation)
      total += shares
      let queue = Int(trace.operations[index].queue)
      byQueue[queue >= 0 && queue < trace.queues.count ? queue : trace.queues.count] += shares
      codes[index] = shares.largest.map { UInt8($0.rawValue) } ?? Self.noCause
      longest.note(UInt32(index), shares)
    }
    self.total = total
    self.byQueue = byQueue
    self.codes = codes
    self.negative = negative
    waited = queries.count
    self.longest = longest.sorted
  }
}

/// The longest of many waits.
private struct LongestWaits {
  private let limit: Int
  private var kept: [WaitCauses.Offender] = []
  private var shortest: Int64 = 0

  init(limit: Int) { self.limit = limit }

  mutating func note(_ operation: UInt32, _ shares: WaitShares) {
    guard kept.count < 2 * limit || shares.total > shortest else { return }
    kept.append(WaitCauses.Offender(operation: operation, shares: shares))
    // Sorting only now and then keeps the cost of a wait constant.
    if kept.count > 4 * limit {
      kept = sorted
      shortest = kept.last?.shares.total ?? 0
    }
  }

  var sorted: [WaitCauses.Offender] {
    Array(
      kept.sorted { ($1.shares.total, $0.operation) < ($0.shares.total, $1.operation) }
        .prefix(limit))
  }
}
