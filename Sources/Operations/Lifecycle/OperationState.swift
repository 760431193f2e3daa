// SPDX-License-Identifier: Apache-2.0

import Scheduling

/// The bits of an operation's `state` word.
///
/// Every change is a compare-exchange that requires `lock` clear, so the lock's owner may unlock
/// with a plain store.
enum StateBit {
  /// The edit lock.
  static let lock: UInt32 = 1 << 0
  /// The runner must take the slow path of `begin`: edges were added that are not registered,
  /// or one was taken for resolved whose dependency passes its cancellation on.
  static let hold: UInt32 = 1 << 1
  /// Edges were registered; later edits go through the lock.
  static let registered: UInt32 = 1 << 2
  /// Some handle has begun the operation.
  ///
  /// Never cleared.
  static let started: UInt32 = 1 << 3
  /// `cancel()` was called before the operation finished.
  ///
  /// Never cleared.
  static let cancelled: UInt32 = 1 << 4
  /// A completion block is in the cold table.
  static let hasCompletion: UInt32 = 1 << 5
  /// It began cancelled or finished, so its body does not run.
  static let skipped: UInt32 = 1 << 6
  /// It stays executing after `start()` has returned, until `finish()`.
  static let asynchronous: UInt32 = 1 << 7
  /// The worker has left the operation to the thread that finishes it, with its slot.
  static let detached: UInt32 = 1 << 8
  /// Another thread than the worker has finished the operation, and keeps it and its queue for the
  /// worker until that is `detached`.
  static let sealedByFinish: UInt32 = 1 << 9
  /// More than one handle to the operation exists or existed; see `Handles`.
  static let severalHandles: UInt32 = 1 << 10
  /// A class of this module without overridable hooks: needs no slot to be skipped.
  static let builtIn: UInt32 = 1 << 11
  /// `dependencies` keeps finished operations.
  static let retainsDependencies: UInt32 = 1 << 12
  /// A barrier of its queue.
  static let barrier: UInt32 = 1 << 13
  /// Its place in the ready order was changed; only the latest handle may start it.
  static let moved: UInt32 = 1 << 14
  /// There are dependencies in the cold table.
  static let edgesInCold: UInt32 = 1 << 15
  /// Its class overrides neither `start()` nor `isReady` nor `isFinished`: to run it is to call
  /// `main()`, unless it is asynchronous.
  ///
  /// Of classes of this module set when the object is made, of others when a worker begins it.
  static let plain: UInt32 = 1 << 24
  /// `finish()` was called before the operation started.
  ///
  /// Never cleared, and never set once it has started.
  static let finishRequested: UInt32 = 1 << 25
  /// The built-in `start()` has begun `main()` of an asynchronous class, or has run that of another
  /// one in a queue with extras.
  static let mainRan: UInt32 = 1 << 28
  /// Its dependents are cancelled when it finishes cancelled.
  static let cancelsDependents: UInt32 = 1 << 27
  /// The cold table says what else happens when the operation begins, changes or finishes; see
  /// Observation.md.
  ///
  /// Such an operation begins, runs and finishes on the long paths. Never cleared.
  static let hasExtras: UInt32 = 1 << 26

  /// The start needs more than `main()`: values to pass in, closures to hand out and to let go of.
  static let coldStart: UInt32 = 1 << 30
  /// The body finishes the operation, and so does what is done instead of it when it is skipped:
  /// not whoever has called `start()`.
  static let endsItself: UInt32 = 1 << 31
  /// It takes resources when it starts; see `OperationResource`.
  static let needsResources: UInt32 = 1 << 29

  /// Of an operation that has not started: it will finish without running, since it was cancelled
  /// or finished before.
  ///
  /// Dependencies, conditions and resources do not hold it back: no ordinary edge of it blocks, and
  /// none is registered from here on. A barrier does, and so does a suspension. Ask with this mask,
  /// never for one of the bits, unless the two really differ; a start turns it into `skipped`.
  /// Whether it needs a slot, and so keeps its place in the order, is another question:
  /// `needsNoSlot`.
  static let toBeSkipped = cancelled | finishRequested
  /// Neither dependencies nor conditions hold the operation back: it is ready, if not more.
  static let ignoresDependencies = started | toBeSkipped

  static let bandShift: UInt32 = 16
  static let bandMask: UInt32 = 7 << 16
  static let normalBand = UInt32(PriorityBand.normal.rawValue) << bandShift
  static let qualityShift: UInt32 = 19
  static let qualityMask: UInt32 = 7 << 19
  static let dependencyCountShift: UInt32 = 22
  static let dependencyCountMask: UInt32 = 3 << 22

  /// What an object of an asynchronous class begins with.
  static let asynchronousClass = retainsDependencies | asynchronous
  /// As `asynchronousClass`, for a class whose `skipBody()` sees to the end.
  static let selfEndingClass = asynchronousClass | endsItself
}

/// The bits of an operation's `pending` word.
enum PendingBit {
  /// Accounting has moved to the cold table; see `Operation+LockedCount.swift`.
  static let lockedCount: UInt32 = 1 << 31
}

/// The values of an operation's `membership` word that are no registry slot.
enum Membership {
  /// In no queue.
  static let none: UInt = 0
  /// Claimed by an `add` that is under way.
  static let claimed: UInt = 1
  /// Started by hand: no queue may take it.
  static let manual: UInt = 2
  /// Belongs to an operation that will add it to a queue of its own.
  static let reserved: UInt = 3
}

/// Which handle of an operation: the address of an extra job, or this.
enum Handle {
  /// The operation's own header.
  static let header: UInt = 0
}

/// Offsets of the stored words inside an operation object; a test compares them with the object.
enum OperationLayout {
  static let header = 16
  static let edges = 56
  static let dependencies = 80
  /// How many dependencies need no allocation.
  static let inlineDependencies = 3
}

/// The words of a successor list: 0 = empty, `sealed` = finished, else an edge or a record.
enum SuccessorWord {
  static let empty: UInt = 0
  static let sealed: UInt = 1
  /// Set when the word is the address of a `SuccessorRecord`, clear when it is an operation | slot
  /// << 1.
  static let recordTag: UInt = 1
}
