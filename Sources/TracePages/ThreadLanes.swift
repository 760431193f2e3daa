// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// Which operations each thread ran, in the order in which it began them.
///
/// An operation that no thread began has no lane. O(operations log operations).
struct ThreadLanes {
  /// Indices of operations, one lane behind the other.
  private var order: [Int32] = []
  /// Where each lane begins in `order`, and the end of the last.
  private var bounds: [Int]

  init(_ trace: Trace) {
    let operations = trace.operations
    bounds = [Int](repeating: 0, count: trace.threads.count + 1)
    for operation in operations {
      if let lane = operation.lane(in: trace) { bounds[lane + 1] += 1 }
    }
    for lane in trace.threads.indices { bounds[lane + 1] += bounds[lane] }
    order = [Int32](repeating: 0, count: bounds[trace.threads.count])
    var next = bounds
    for (index, operation) in operations.enumerated() {
      guard let lane = operation.lane(in: trace) else { continue }
      order[next[lane]] = Int32(index)
      next[lane] += 1
    }
    for lane in trace.threads.indices {
      order[bounds[lane]..<bounds[lane + 1]].sort { first, second in
        let one = operations[Int(first)]
        let other = operations[Int(second)]
        // What is run inside another operation comes behind it.
        return (one.startedTimeOrEnd, -one.threadEnd(in: trace), first)
          < (other.startedTimeOrEnd, -other.threadEnd(in: trace), second)
      }
    }
  }

  /// The operations of one thread.
  subscript(thread: Int) -> ArraySlice<Int32> { order[bounds[thread]..<bounds[thread + 1]] }

  /// The operation that ran on a thread at a time, the innermost one, if any did.
  ///
  /// O(log operations) where operations do not run inside others.
  func running(on thread: Int, at time: Int64, in trace: Trace) -> Int? {
    let lane = self[thread]
    var low = lane.startIndex
    var high = lane.endIndex
    while low < high {
      let middle = (low + high) / 2
      if trace.operations[Int(lane[middle])].startedTimeOrEnd <= time {
        low = middle + 1
      } else {
        high = middle
      }
    }
    var place = low
    while place > lane.startIndex, low - place < Self.deepestNesting {
      place -= 1
      let operation = Int(lane[place])
      if trace.operations[operation].threadEnd(in: trace) > time { return operation }
    }
    return nil
  }

  /// How many operations that have ended inside another one are looked through to find that.
  private static let deepestNesting = 64
}

extension TracedOperation {
  /// The thread on which it takes up time, nil when none began it.
  func lane(in trace: Trace) -> Int? {
    guard started != nil, trace.threads.indices.contains(Int(thread)) else { return nil }
    return Int(thread)
  }

  /// When its thread was free of it: its return, its finish, or the end of the recording.
  func threadEnd(in trace: Trace) -> Int64 {
    returned ?? finished ?? max(trace.header.durationNanoseconds, startedTimeOrEnd)
  }

  /// When it began; behind everything where it did not.
  var startedTimeOrEnd: Int64 { started ?? .max }

  /// How long it was ready and had not begun, if both are known.
  var readyWait: Int64? {
    guard let ready, let started else { return nil }
    return started - ready
  }
}

extension Trace {
  /// What an operation is called: its name, else its class, else that it is one.
  func label(of operation: TracedOperation) -> UInt32 {
    operation.name != 0 ? operation.name : operation.kind
  }

  /// What a thread is called.
  func label(ofThread index: Int) -> String {
    let thread = threads[index]
    if thread.name != 0 { return names[Int(thread.name)] }
    guard thread.worker >= 0 else {
      return thread.systemID > 0 ? "thread \(thread.systemID)" : "thread"
    }
    return Int(thread.worker) < header.workers
      ? "worker \(thread.worker)" : "compensation \(thread.worker)"
  }

  /// The thread that is a worker, if it has recorded anything.
  func thread(ofWorker worker: Int32) -> Int? {
    worker < 0 ? nil : threads.firstIndex { $0.worker == worker }
  }
}
