// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// What few queues need: observers, progress, a taker of events, an owner that is cancelled; made
/// on first use and kept until the queue goes.
///
/// Its address in the queue is the one thing that adding and leaving look at. Page: Observation.md.
@safe final class QueueExtras: @unchecked Sendable {
  let notices = Notices<QueueProperty>()
  let tracking = Locked(MemberTracking())
  /// Members as last told; used by whoever tells.
  var toldMembers: [QueueMember] = []
  let progress = ProgressCounter()
  /// Who takes events.
  struct EventHandler: Sendable {
    /// Takes those of operations that are added from now on.
    var take: (@Sendable (OperationEvent) -> Void)?
  }
  let eventHandler = Locked(EventHandler())
  /// What a room above keeps for the queue: the bridge to its progress class.
  let progressBridge = Locked<(any AnyObject & Sendable)?>(nil)
  /// The scheduler that the queue runs on while it is away from home, see `QueuePlace.swift`.
  let elsewhere = Locked<(any Scheduler)?>(nil)
  /// The address of that scheduler, or 0 at home; stored under its lock.
  let place = Atomic<UInt>(0)
  /// What is added is cancelled before it can start; never cleared.
  let cancelsNewcomers = Atomic<Bool>(false)
}

extension OperationQueue {
  /// The extras, or nil when nobody has needed them.
  var extrasIfAny: QueueExtras? {
    // acquire, edge ExtrasMade: pairs with the release in `extrasMade`.
    let address = extras.load(ordering: .acquiring)
    // SAFETY: retained by the queue until its deinit.
    return unsafe address == 0 ? nil : Unmanaged.at(address).takeUnretainedValue()
  }

  /// The extras, made on first use.
  func extrasMade() -> QueueExtras {
    if let present = extrasIfAny { return present }
    let made = QueueExtras()
    let reference = unsafe Unmanaged.passRetained(made)
    // release on success, edge ExtrasMade: publishes what was made to who loads the address. Its
    // acquire orders nothing, for the 0 that it finds is the first value. On failure nothing is
    // read: `extrasIfAny` loads the winner's with acquire.
    let (won, _) = unsafe extras.compareExchange(
      expected: 0, desired: UInt(bitPattern: reference.toOpaque()),
      successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
    if !won { unsafe reference.release() }
    return extrasIfAny ?? made
  }

  /// From here on what is added is cancelled before it can start.
  ///
  /// Whoever lists the members afterwards finds those that had come before; see Composition.md.
  func cancelNewcomers() {
    // relaxed, edge ExtrasMade: published by the next enumeration's locks.
    extrasMade().cancelsNewcomers.store(true, ordering: .relaxed)
  }

  /// What `cancelNewcomers()` has set; of an adder, after the registry's lock.
  var cancelsNewcomers: Bool {
    // relaxed, edge ExtrasMade: what the lock has not published comes after the addition.
    extrasIfAny?.cancelsNewcomers.load(ordering: .relaxed) ?? false
  }

  /// Deinit.
  func freeExtras() {
    let address = extras.load(ordering: .relaxed)  // relaxed: last reference
    // SAFETY: as in `extrasIfAny`; this is the queue's reference.
    if address != 0 { unsafe Unmanaged<QueueExtras>.at(address).release() }
  }
}
