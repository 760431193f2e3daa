// SPDX-License-Identifier: Apache-2.0

// Spellings of Objective-C, of Swift 1 and 2 and of earlier versions of this library, which
// programs and texts still have: the compiler answers with today's and a fix-it. Members of classes
// stand in extensions of a protocol, so that a subclass may have a property of that name.

/// Today `Operation`.
@available(*, unavailable, renamed: "Operation")
public typealias NSOperation = Operation

/// Today `BlockOperation`.
@available(*, unavailable, renamed: "BlockOperation")
public typealias NSBlockOperation = BlockOperation

/// Today `OperationQueue`.
@available(*, unavailable, renamed: "OperationQueue")
public typealias NSOperationQueue = OperationQueue

/// Today `QualityOfService`.
@available(*, unavailable, renamed: "QualityOfService")
public typealias NSQualityOfService = QualityOfService

/// Today `Operation.QueuePriority`.
@available(*, unavailable, renamed: "Operation.QueuePriority")
public typealias NSOperationQueuePriority = Operation.QueuePriority

/// Today `ResultOperation`, which takes a closure.
@available(
  *, unavailable, message: "use ResultOperation { … }, whose value() is the invocation's result"
)
public typealias NSInvocationOperation = Operation

/// Today `OperationQueue.defaultMaxConcurrentOperationCount`.
@available(*, unavailable, renamed: "OperationQueue.defaultMaxConcurrentOperationCount")
public var NSOperationQueueDefaultMaxConcurrentOperationCount: Int { unavailable() }

extension KeyValueObservable where Self: Operation {
  /// Today `isCancelled`.
  @available(*, unavailable, renamed: "isCancelled")
  public var cancelled: Bool { unavailable() }

  /// Today `isExecuting`.
  @available(*, unavailable, renamed: "isExecuting")
  public var executing: Bool { unavailable() }

  /// Today `isFinished`.
  @available(*, unavailable, renamed: "isFinished")
  public var finished: Bool { unavailable() }

  /// Today `isReady`.
  @available(*, unavailable, renamed: "isReady")
  public var ready: Bool { unavailable() }

  /// Today `isAsynchronous`.
  @available(*, unavailable, renamed: "isAsynchronous")
  public var asynchronous: Bool { unavailable() }

  /// Today `isAsynchronous`.
  @available(*, unavailable, renamed: "isAsynchronous")
  public var concurrent: Bool { unavailable() }
}

extension KeyValueObservable where Self: OperationQueue {
  /// Today `isSuspended`.
  @available(*, unavailable, renamed: "isSuspended")
  public var suspended: Bool {
    get { unavailable() }
    set { unavailable() }
  }

  /// Today `addOperation(_:)`.
  @available(*, unavailable, renamed: "addOperation(_:)")
  public func addOperationWithBlock(_ block: @escaping @Sendable () -> Void) { unavailable() }

  /// Today the property `main`.
  @available(*, unavailable, renamed: "main")
  public static func mainQueue() -> OperationQueue { unavailable() }

  /// Today the property `current`.
  @available(*, unavailable, renamed: "current")
  public static func currentQueue() -> OperationQueue? { unavailable() }
}

extension Operation.QueuePriority {
  /// Today `veryLow`.
  @available(*, unavailable, renamed: "veryLow")
  public static var VeryLow: Self { unavailable() }

  /// Today `low`.
  @available(*, unavailable, renamed: "low")
  public static var Low: Self { unavailable() }

  /// Today `normal`.
  @available(*, unavailable, renamed: "normal")
  public static var Normal: Self { unavailable() }

  /// Today `high`.
  @available(*, unavailable, renamed: "high")
  public static var High: Self { unavailable() }

  /// Today `veryHigh`.
  @available(*, unavailable, renamed: "veryHigh")
  public static var VeryHigh: Self { unavailable() }
}

private func unavailable() -> Never { Fault.internalError("an unavailable name was used") }
