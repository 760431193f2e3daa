// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

/// A unit of work with dependencies, priority, cancellation and completion, run once by a queue or
/// by `start()`.
///
/// Members and meaning are those of Foundation's class of the same name. Every member may be called
/// from any thread. Subclasses override `main()` for synchronous work; work that outlives `main()`
/// belongs in `AsyncOperation`.
///
/// States: pending → ready → executing → finished, or pending → finished when cancelled before it
/// began; `isCancelled` is independent of them (contract 1, 3).
open class Operation: @unchecked Sendable {
  // The stored words, in layout order: a subclass with one closure stays within two cache lines.
  // See Release.md.
  final let header: JobHeader
  /// Newest first list of edges and records; `SuccessorWord.sealed` once finished.
  final let successors = Atomic<UInt>(SuccessorWord.empty)
  /// Unresolved edges, or the bit `lockedCount`.
  final let pending = Atomic<UInt32>(0)
  final let state = Atomic<UInt32>(0)
  /// `Membership`, or the address of the registry slot in the queue.
  final let membership = Atomic<UInt>(Membership.none)
  final let edge0 = Atomic<UInt>(0)
  final let edge1 = Atomic<UInt>(0)
  final let edge2 = Atomic<UInt>(0)
  final let dependency0 = Atomic<UInt>(0)
  final let dependency1 = Atomic<UInt>(0)
  final let dependency2 = Atomic<UInt>(0)
  /// The cold table, retained, or 0.
  final let cold = Atomic<UInt>(0)

  /// An operation that is in no queue, has no dependencies and normal priority (contract 2).
  ///
  /// The only designated initialiser: with a second one, hidden or not, subclasses of other modules
  /// would have to call `super.init()` themselves, and those of `BlockOperation` would not inherit
  /// `init(block:)`.
  public init() {
    unsafe header = JobHeader(run: operationRun)
    setInitialState(of: Operation.self)
    if isRecordingAll { recordCreation() }
  }

  deinit { if keepsSomething { letGoOfEverything() } }

  // MARK: What subclasses override

  /// The work, which `start()` calls.
  ///
  /// Does nothing by default; an override does not call `super` (contract 6, 7). Of the classes of
  /// this module the first call runs the body, whoever makes it, on the calling thread; every other
  /// one, at the same time or later, returns at once and runs nothing (contract 10). A call by
  /// anybody but `start()` begins and finishes no operation: a queue that comes to start it finds
  /// the body gone, and does not wait for it.
  open func main() {}

  /// As `main()` of exactly a class of this module, on the thread that has begun the operation.
  func runBody() { main() }

  /// Whether the queue may finish the operation without a slot once it is cancelled; false by
  /// default (contract 49).
  ///
  /// Only classes that override `start()` need it: theirs may do work even then, so they take a
  /// slot unless they say otherwise. Every other class is skipped without one. Any thread may ask
  /// at any time, so an override returns a constant.
  open var isSkippedWithoutSlot: Bool { false }

  /// Lets go of what `main()` runs: called instead of it when the operation is skipped.
  ///
  /// Called as well when a synchronous operation with `StateBit.coldStart` is about to finish, on
  /// whatever thread: its `main()` may not have come to what it runs (contract 74).
  func skipBody() {}

  /// The first `cancel()` came when the body had begun; on the cancelling thread, with no lock
  /// held.
  ///
  /// Follows when everything that is cancelled with it has been marked.
  func cancelledWhileExecuting() {}

  /// The error with which a finished operation ended, if its class knows one.
  var failure: (any Error)? { nil }

  /// Runs the operation: on the calling thread when it is in no queue, by its queue otherwise.
  ///
  /// Returns when the operation is finished, unless it is asynchronous. A finished operation
  /// returns at once; a cancelled one finishes without running `main()`. Stops the process when the
  /// operation is not ready, is already executing, or belongs to a queue (contract 11–16);
  /// `tryStart()` throws instead.
  open func start() {
    let queue = ThreadRecord.withCurrent { record in
      record.takeStarting(self) ? record.currentQueue : nil
    }
    if let queue { return runMain(countedBy: queue) }
    do { try startManually(callsStart: false) } catch { error.fault("start()") }
  }

  /// Whether the work goes on after `start()` has returned.
  ///
  /// False by default; fixed per class.
  open var isAsynchronous: Bool {
    state.load(ordering: .relaxed) & StateBit.asynchronous != 0  // relaxed: never changes
  }

  /// Superseded by `isAsynchronous`, which it equals; overridden in older programs.
  @available(*, deprecated, renamed: "isAsynchronous")
  open var isConcurrent: Bool { isAsynchronous }

  /// Whether every dependency is finished, or the operation is cancelled, or was finished before
  /// its start (contract 37).
  ///
  /// An override must combine its condition with `super`'s value and announce changes with
  /// `didChangeValue(forKey:)`.
  open var isReady: Bool { computeReady() }

  /// True from the beginning of the body until the operation is finished (contract 5).
  open var isExecuting: Bool {
    if let told = valueBeingTold(.isExecuting) { return told }
    // acquire: pairs with the release in `beginFast`.
    return Self.hasBegun(state.load(ordering: .acquiring)) && !isSealed
  }

  /// True once the operation has finished; never false again.
  ///
  /// Whatever the body wrote is visible to a thread that has read true.
  open var isFinished: Bool { valueBeingTold(.isFinished) ?? isSealed }

  /// True once `cancel()` was called before the operation finished.
  open var isCancelled: Bool {
    if let told = valueBeingTold(.isCancelled) { return told }
    // acquire: pairs with the unlock in `markCancelled`, so that what the canceller wrote is seen.
    return state.load(ordering: .acquiring) & StateBit.cancelled != 0
  }

  /// Sets `isCancelled` and lets a waiting operation finish without running (contract 43–47).
  ///
  /// Never interrupts running code; changes nothing once finished; further calls do nothing, but
  /// for operations made of others, whose members are cancelled when any of the calls returns, or
  /// when the one returns inside of which it is made. O(1), or O(dependencies) for an operation
  /// that waits for some, and the same for each member.
  ///
  /// Of operations that are cancelled together those without an override are marked first, then the
  /// overrides are called, then what was cancelled is let go and told. An override that waits lets
  /// go of what has been cancelled so far, and nothing else comes before it returns. With a lock or
  /// a semaphore of its own it waits inside of `OperationQueue.blocking`, and calls
  /// `super.cancel()` before that: what it marks in there is let go after the override has
  /// returned.
  open func cancel() { cancelNow() }

  // What follows is written for users; the machinery never calls it, so that overrides see only
  // what users do.

  /// Name for diagnostics; nil by default (contract 98).
  ///
  /// Diagnostics show what was set, whatever an override returns.
  open var name: String? {
    get { storedName }
    set {
      withColdTableMade { $0.name = newValue }
      if isRecording, let newValue { recordName(newValue) }
    }
  }

  /// Type, name or address, and state: `BlockOperation "fetch" (pending, ready)`.
  ///
  /// Any thread, with any lock of the program held: it calls nothing that a program can override or
  /// pass in.
  open var description: String { diagnosis }

  /// Level among the ready operations of its queue; `normal` by default.
  ///
  /// A change while the operation is queued and not started takes effect: it joins the tail of the
  /// new level (contract 88); after more than a dozen changes perhaps a place that it has had
  /// there. O(1), and in memory too, however often it is changed. What was set counts, whatever an
  /// override returns.
  open var queuePriority: QueuePriority {
    get { QueuePriority(band: band) }
    set { changeBand(to: newValue.band) }
  }

  /// How important the work is; `default`, the value of a new operation, means that the queue's
  /// value counts (contract 91, 92).
  ///
  /// Best effort: while the body runs its thread gets the niceness of the effective level, where
  /// the system permits putting it back. `serviceReport` tells. Does not influence the order of
  /// operations. What was set counts, whatever an override returns.
  open var qualityOfService: QualityOfService {
    get { storedQualityOfService }
    set { setQualityOfService(newValue) }
  }

  /// Runs once after the operation has finished, cancelled or not; nil once it was handed over
  /// (contract 56–59).
  ///
  /// Runs on the thread that finished the operation, after dependents were released and waiters
  /// woken, with no lock held. A block assigned after the operation has finished does not run, nor
  /// does one that only an override returns.
  open var completionBlock: (@Sendable () -> Void)? {
    get { withColdTable { $0.completionBlock } ?? nil }
    set { setCompletionBlock(newValue) }
  }

  /// The operations this one waits for, in the order added, finished ones included (contract 25).
  ///
  /// A copy. Empty once the operation has started if `retainsFinishedDependencies` is false. An
  /// operation that was cancelled or finished while it waited does not keep dependencies that have
  /// not finished: what nobody else keeps disappears from the list.
  open var dependencies: [Operation] { storedDependencies }

  /// Makes this operation wait until `dependency` has finished (contract 19–24).
  ///
  /// Works across queues and schedulers and while this operation waits in a queue. Adding it twice
  /// has the effect of adding it once; adding to an operation that has started has no effect,
  /// unless `faultsOnLateDependencyEdits` is set. O(1) amortised. An operation cannot depend on
  /// itself: that stops the process; `tryAddDependency(_:)` throws.
  open func addDependency(_ dependency: Operation) {
    if !addInlineEdge(to: dependency) { addUnusualEdge(to: dependency) }
  }

  /// Lifts the constraint at once; does nothing for what is no dependency (contract 26, 27).
  ///
  /// No effect once the operation has started; a fault then if `faultsOnLateDependencyEdits` is
  /// set. O(dependencies).
  open func removeDependency(_ dependency: Operation) { withdrawDependency(dependency) }

  /// Blocks until the operation has finished (contract 99–101).
  ///
  /// From inside an operation the waiting worker runs the awaited one itself if that may start,
  /// else the scheduler compensates for the blocked worker. Waiting for oneself, or on a serial
  /// queue for an operation behind oneself, stops the process.
  @available(*, noasync, message: "blocks the thread; use await finished()")
  open func waitUntilFinished() { _ = waitBlocking(until: nil) }

  /// Tells the machinery that a subclass is about to change the property named `key`.
  open func willChangeValue(forKey key: String) {}

  /// Tells the machinery that a subclass has changed the property named `key`.
  ///
  /// "isReady" ("ready") makes the queue look again; "isFinished" ("finished") finishes an
  /// operation whose override of `isFinished` is now true; "isExecuting" ("executing") says that an
  /// override of `start()` has begun outside of a queue; these, "isCancelled" and "isAsynchronous",
  /// with or without "is", are told to observers when the value differs (contract 18, 40, 63).
  /// Other keys do nothing.
  open func didChangeValue(forKey key: String) {
    if let property = ObservedProperty(key: key) { announce(property) }
  }
}

extension Operation: CustomStringConvertible {}

extension Operation: Hashable {
  /// True for the same object only (contract 8).
  public static func == (lhs: Operation, rhs: Operation) -> Bool { lhs === rhs }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Operation {
  /// The five levels that order ready operations of one queue (contract 83).
  public enum QueuePriority: Int, Sendable, CaseIterable {
    /// Starts after all others.
    case veryLow = -8
    /// Starts after `normal`.
    case low = -4
    /// The default.
    case normal = 0
    /// Starts before `normal`.
    case high = 4
    /// Starts before all others.
    case veryHigh = 8

    /// The level that `value` reaches when it moves towards `normal` and stops at the first level
    /// (contract 84).
    public init(rounding value: Int) {
      self = Self(rawValue: min(max(value, -8), 8) / 4 * 4) ?? .normal
    }

    // Band 0 is the most urgent of five.
    init(band: PriorityBand) { self = Self(rawValue: 8 - 4 * Int(band.rawValue)) ?? .normal }
    var band: PriorityBand { PriorityBand(lowBitsOf: UInt((8 - rawValue) / 4)) }
  }
}
