// SPDX-License-Identifier: Apache-2.0

/// How long operations waited on after one of a lower priority had started.
///
/// An operation is passed over when, after it has become ready and nothing held it back by itself,
/// an operation of its own queue with a lower priority starts. Its inversion is the time from the
/// first such start until it starts itself. Starts that lie within what clocks may be apart do not
/// count, and neither do operations that wait for themselves to be let through.
package struct PriorityInversions: Sendable, Equatable {
  /// An operation that was passed over.
  package struct Offender: Sendable, Equatable {
    /// Index into `Trace.operations`.
    package let operation: UInt32
    /// The first one of a lower priority that started before it.
    package let overtaker: UInt32
    /// From that start until its own, ns.
    package let nanoseconds: Int64
  }

  /// All inversions together, ns.
  package let totalNanoseconds: Int64
  /// Operations that were passed over.
  package let count: Int
  /// Those with the longest inversion, the longest first.
  package let worst: [Offender]

  private static let worstKept = 20

  /// Finds them.
  ///
  /// Goes back in time, so that the next start of each priority is known at every instant.
  /// O(n · priorities).
  init(_ trace: Trace, waits: ReadyWaits) {
    let operations = trace.operations
    let starts = TimeOrder.indices(
      of: operations.map { $0.isSkipped ? .min : $0.startedTime })
    let eligible = operations.indices.map { index in
      waits.begin[index] == .min || operations[index].startedTime == .min
        ? Int64.min : waits.heldUntil(index, operations[index])
    }
    let begins = TimeOrder.indices(of: eligible)
    let levels = PriorityLevels(operations)
    var next = [StartAhead?](repeating: nil, count: (trace.queues.count + 1) * levels.count)
    var found: [Offender] = []
    var start = starts.count - 1
    for index in begins.reversed() {
      let operation = operations[Int(index)]
      let from = eligible[Int(index)] + trace.header.clockSkewNanoseconds
      while start >= 0, operations[Int(starts[start])].startedTime > from {
        let starting = operations[Int(starts[start])]
        let place = Self.row(starting, trace) * levels.count + levels[starting.priority]
        next[place] = StartAhead(operation: starts[start], time: starting.startedTime)
        start -= 1
      }
      var first: StartAhead?
      let row = Self.row(operation, trace) * levels.count
      for level in 0..<levels[operation.priority] {
        if let ahead = next[row + level], ahead.time < first?.time ?? .max { first = ahead }
      }
      guard let first, first.time < operation.startedTime else { continue }
      found.append(
        Offender(
          operation: index, overtaker: first.operation,
          nanoseconds: operation.startedTime - first.time))
    }
    totalNanoseconds = found.reduce(0) { $0 + $1.nanoseconds }
    count = found.count
    worst = Array(
      found.sorted { ($1.nanoseconds, $0.operation) < ($0.nanoseconds, $1.operation) }
        .prefix(Self.worstKept))
  }

  private struct StartAhead {
    let operation: UInt32
    let time: Int64
  }

  private static func row(_ operation: TracedOperation, _ trace: Trace) -> Int {
    let queue = Int(operation.queue)
    return queue >= 0 && queue < trace.queues.count ? queue : trace.queues.count
  }
}

/// The priorities that occur, the lowest first.
private struct PriorityLevels {
  private var places = [Int](repeating: -1, count: 256)
  private(set) var count = 0

  init(_ operations: [TracedOperation]) {
    for operation in operations { places[Self.index(operation.priority)] = 0 }
    for index in places.indices where places[index] == 0 {
      places[index] = count
      count += 1
    }
  }

  subscript(priority: Int8) -> Int { places[Self.index(priority)] }

  private static func index(_ priority: Int8) -> Int { Int(priority) + 128 }
}
