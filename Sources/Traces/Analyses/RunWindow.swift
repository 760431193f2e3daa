// SPDX-License-Identifier: Apache-2.0

/// The time from the first thing that happened to an operation until the last one finished.
///
/// What lies before and after, such as threads that start, is no part of the makespan.
package struct RunWindow: Sendable, Equatable {
  /// When the first operation was added; where that is unknown, when it became ready or started.
  package let begin: Int64
  /// When the last one finished.
  package let end: Int64

  /// The length, ns.
  package var makespan: Int64 { end - begin }

  /// The window of a recording; empty where nothing finished.
  init(_ trace: Trace) {
    var begin = Int64.max
    var end = Int64.min
    for operation in trace.operations {
      let added = operation.enqueuedTime
      let first =
        added != .min
        ? added : operation.readyTime != .min ? operation.readyTime : operation.startedTime
      if first != .min { begin = min(begin, first) }
      end = max(end, operation.finishedTime)
    }
    if begin == .max || end < begin {
      (self.begin, self.end) = (0, 0)
    } else {
      (self.begin, self.end) = (begin, end)
    }
  }
}

extension TracedOperation {
  /// When the thread that ran it was free again, or `.min`: on return for one that goes on without
  /// a thread, else on finish.
  var leftThreadTime: Int64 { returnedTime != .min ? returnedTime : finishedTime }

  /// How long its body had a thread, ns; nil where that is not known, negative where clocks differ.
  var runTime: Int64? {
    let left = leftThreadTime
    return startedTime == .min || left == .min ? nil : left - startedTime
  }

  /// How long it went on without a thread, ns; nil for synchronous ones.
  var suspendedTime: Int64? {
    returnedTime == .min || finishedTime == .min ? nil : finishedTime - returnedTime
  }
}
