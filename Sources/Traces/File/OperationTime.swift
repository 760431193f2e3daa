// SPDX-License-Identifier: Apache-2.0

/// The times of an operation in the order in which they lie in a file, which is that of their
/// happening: each is a short step from the last one that is known.
enum OperationTime: CaseIterable {
  case created, enqueued, ready, admitted, started, returned, finished, cancelRequested
}

extension TracedOperation {
  /// The stored time, `.min` where no event told.
  subscript(time: OperationTime) -> Int64 {
    get {
      switch time {
      case .created: createdTime
      case .enqueued: enqueuedTime
      case .ready: readyTime
      case .admitted: admittedTime
      case .started: startedTime
      case .returned: returnedTime
      case .finished: finishedTime
      case .cancelRequested: cancelRequestedTime
      }
    }
    set {
      switch time {
      case .created: createdTime = newValue
      case .enqueued: enqueuedTime = newValue
      case .ready: readyTime = newValue
      case .admitted: admittedTime = newValue
      case .started: startedTime = newValue
      case .returned: returnedTime = newValue
      case .finished: finishedTime = newValue
      case .cancelRequested: cancelRequestedTime = newValue
      }
    }
  }
}
