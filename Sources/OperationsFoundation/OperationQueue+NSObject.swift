// SPDX-License-Identifier: Apache-2.0

// What protocols of Foundation want of a queue, which is no `NSObject` here.

extension OperationQueue: NSObjectProtocol {
  /// True for the same object only.
  public func isEqual(_ object: Any?) -> Bool { object as? OperationQueue === self }

  /// As `hashValue`.
  public var hash: Int { hashValue }

  /// The queue itself.
  public func `self`() -> Self { self }

  /// False: queues stand for themselves.
  public func isProxy() -> Bool { false }

  /// As `description`.
  public var debugDescription: String { description }
}

extension OperationQueue: ProgressReporting {}
