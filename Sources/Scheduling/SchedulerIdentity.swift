// SPDX-License-Identifier: Apache-2.0

/// Which scheduler: equal exactly for the same instance while it lives.
@frozen public struct SchedulerIdentity: Hashable, Sendable {
  @usableFromInline let word: UInt

  /// The identity of `scheduler`.
  @inlinable public init(_ scheduler: any Scheduler) {
    word = UInt(bitPattern: ObjectIdentifier(scheduler))
  }

  /// The identity of the object that stands for a scheduler, for back ends whose threads outlive
  /// the scheduler object.
  @inlinable public init(object: AnyObject) { word = UInt(bitPattern: ObjectIdentifier(object)) }
}
