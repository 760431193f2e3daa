// SPDX-License-Identifier: Apache-2.0

/// What cancelling did, and what it came too late for.
package struct CancellationReport: Sendable, Equatable {
  /// What an operation was doing when it was cancelled.
  package enum Moment: Int, Sendable, Equatable, CaseIterable {
    /// Dependencies had not finished.
    case pending
    /// It was ready and had not started.
    case ready
    /// Its body had a thread, or it went on without one.
    case running
    /// It had finished.
    case finished
  }

  /// Operations that were cancelled, by the moment of the first request.
  private let moments: [Int]
  /// Operations whose body began although they had been cancelled before.
  package let startedAfterRequest: Int
  /// From the request until the operation was passed over or its body returned.
  package let requestToObserved: PhaseSummary
  /// From the request until the operation had finished.
  package let requestToFinished: PhaseSummary
  /// From the first request until the last cancelled operation had finished, ns; nil without any.
  package let requestToQuiescent: Int64?
  /// Run time of cancelled operations after their request, ns.
  package let wastedRun: Int64

  /// Operations that were cancelled at a moment.
  package subscript(moment: Moment) -> Int { moments[moment.rawValue] }

  /// Operations that were cancelled.
  package var count: Int { moments.reduce(0, +) }

  init(_ trace: Trace) {
    var moments = [Int](repeating: 0, count: Moment.allCases.count)
    var started = 0
    var observed: [Int64] = []
    var finished: [Int64] = []
    var first = Int64.max
    var last = Int64.min
    var wasted: Int64 = 0
    for operation in trace.operations {
      guard let request = operation.cancelRequested else { continue }
      let moment = Self.moment(operation, at: request)
      moments[moment.rawValue] += 1
      if moment == .finished { continue }
      first = min(first, request)
      if operation.startedTime > request, !operation.isSkipped { started += 1 }
      if let end = operation.finished {
        finished.append(end - request)
        last = max(last, end)
      }
      if let seen = Self.observed(operation) { observed.append(seen - request) }
      let left = operation.leftThreadTime
      if !operation.isSkipped, operation.startedTime != .min, left != .min {
        wasted += max(0, left - max(request, operation.startedTime))
      }
    }
    self.moments = moments
    startedAfterRequest = started
    requestToObserved = PhaseSummary(observed)
    requestToFinished = PhaseSummary(finished)
    requestToQuiescent = last >= first ? last - first : nil
    wastedRun = wasted
  }

  private static func moment(_ operation: TracedOperation, at request: Int64) -> Moment {
    if operation.finishedTime != .min, operation.finishedTime <= request { return .finished }
    if operation.startedTime != .min, operation.startedTime <= request { return .running }
    return operation.readyTime != .min && operation.readyTime <= request ? .ready : .pending
  }

  /// When it was seen that the operation is cancelled: no recording tells that of a body but by its
  /// return.
  private static func observed(_ operation: TracedOperation) -> Int64? {
    if operation.isSkipped { return operation.started ?? operation.finished }
    return operation.returned ?? operation.finished
  }
}
