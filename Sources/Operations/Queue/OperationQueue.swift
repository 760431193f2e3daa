// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
public import Scheduling
import Synchronization

/// Starts operations on a scheduler: in priority order among the ready ones, within a limit, unless suspended.
///
/// Members and meaning are those of Foundation's class of the same name. Every member may be called from any thread.
/// A queue with pending operations stays alive until they have finished, even if nobody holds it (contract 110).
public final class OperationQueue: @unchecked Sendable {
  /// Lets the scheduler decide how many operations run at a time.
  public static let defaultMaxConcurrentOperationCount = -1
  /// How many finished operations a worker may hold back from the count.
  static let creditBatch = 256

  /// The scheduler that runs this queue's operations.
  public let scheduler: any Scheduler
  let identity: SchedulerIdentity
  /// A barrier is pending: workers hold no credits back.
  let creditFlag = CreditFlag()

  /// Limit, suspension, ready and running counts.
  let policy = Atomic<UInt64>(PolicyWord.open)
  /// Address of the `QueueExtras`, retained, or 0; beside the policy, which every operation reads.
  let extras = Atomic<UInt>(0)
  /// Members, submission ticket and flags.
  let count = MemberCount()
  /// Who is a member, in submission order.
  let registry: Registry
  /// Ready operations that wait for a slot or for resumption.
  let readyList = ReadyList()
  /// Members that have finished while a handle to them is still out.
  let stragglers = Atomic<Int>(0)
  /// Operations that have finished since the last look and may have left a handle in the ready list.
  let staleHandles = Atomic<UInt64>(0)
  /// Serialises changes of limit and suspension, and holds the barriers.
  let control = Locked(QueueControl())
  /// Wakes threads that wait for the queue.
  let idleGate = IdleGate()
  let attributes = Locked(Attributes())
  /// Whether the start gate may rely on the asymmetric barrier.
  let isAsymmetric = AsymmetricBarrier.isAvailable
  /// Who holds back whom, in a queue that keeps strict order.
  let order: StrictOrder?
  /// What waits inside its operations do, and have done.
  let waits = WaitState()
  /// Limit, suspension, name and level stay as they are: the main queue (contract 119).
  let isFixed: Bool
  /// For the inner queue of an operation: told, by a job of the scheduler, whenever the queue has become empty.
  let whenEmpty: (@Sendable () -> Void)?
  /// For the inner queue of an operation that cannot end before its members have: that operation.
  let owner: Owner?

  struct Attributes: Sendable {
    var name: String?
    var qualityOfService = QualityOfService.default
  }

  /// A queue whose operations run on `scheduler`, which it keeps alive.
  public init(scheduler: any Scheduler) {
    self.scheduler = scheduler
    identity = scheduler.identity
    isFixed = false
    whenEmpty = nil
    owner = nil
    order = nil
    registry = Registry()
    registry.open(for: word)
    LiveQueues.insert(word)
  }

  /// The inner queue of `owner`, whose `main()` runs on the calling thread; its operations run where the owner does.
  ///
  /// `whenEmpty` is called on a worker, once for every time the queue has become empty. `mayEndFirst` says that the owner
  /// does not always wait for its members.
  init(
    innerOf owner: Operation, mayEndFirst: Bool = false, whenEmpty: @escaping @Sendable () -> Void
  ) {
    let ownership = Owner(owner)
    let outer = ownership.queue
    self.owner = mayEndFirst ? nil : ownership
    scheduler = outer?.scheduler ?? InlineScheduler()
    identity = scheduler.identity
    isFixed = false
    order = nil
    self.whenEmpty = whenEmpty
    registry = Registry()
    registry.open(for: word)
    let level = owner.qualityOfService
    let inherited = level == .default ? outer?.qualityOfService ?? .default : level
    let name = owner.name.map { "members of \($0)" }
    attributes.withLock { $0 = Attributes(name: name, qualityOfService: inherited) }
    // relaxed: nobody else has the queue yet. The flag stays: the owner waits.
    count.word.store(MemberCount.waiters, ordering: .relaxed)
    creditFlag.set(true)
    LiveQueues.insert(word)
  }

  /// A queue that starts operations strictly in the order in which they were added, if `startsInOrder` is set.
  ///
  /// Levels do not count then, and an operation that is not ready holds back those behind it, ready ones too: what
  /// depends on an operation added later never starts (the stall report shows the cycle). Cancelled operations leave
  /// without their turn. Readiness that is withdrawn, or a resource that is missing, once it is an operation's turn holds
  /// nobody back.
  public init(scheduler: any Scheduler, startsInOrder: Bool) {
    self.scheduler = scheduler
    identity = scheduler.identity
    isFixed = false
    order = startsInOrder ? StrictOrder() : nil
    whenEmpty = nil
    owner = nil
    registry = Registry()
    registry.open(for: word)
    if startsInOrder {
      // relaxed: nobody else has the queue yet.
      let limited = PolicyWord.withLimit(PolicyWord.open & ~PolicyWord.fast, highestLimit)
      policy.store(limited, ordering: .relaxed)
    }
    LiveQueues.insert(word)
  }

  /// Whether operations start strictly in the order in which they were added.
  public var startsInOrder: Bool { order != nil }

  /// A serial queue whose attributes cannot be changed: the main queue of a room above this one.
  package init(serialOn scheduler: any Scheduler, fixedName: String) {
    self.scheduler = scheduler
    identity = scheduler.identity
    isFixed = true
    whenEmpty = nil
    owner = nil
    order = nil
    registry = Registry()
    registry.open(for: word)
    // relaxed, all: nobody else has the queue yet.
    let serial = PolicyWord.withLimit(PolicyWord.open & ~PolicyWord.fast, 1)
    policy.store(serial, ordering: .relaxed)
    control.withLock { $0.limit = 1 }
    attributes.withLock { $0.name = fixedName }
    LiveQueues.insert(word)
  }

  deinit {
    LiveQueues.remove(word)
    creditFlag.giveBack()
    registry.close()
    freeExtras()
  }

  var word: UInt { unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// The queue at `word`, unretained.
  static func reference(_ word: UInt) -> Unmanaged<OperationQueue> {
    // SAFETY: `word` comes from a membership, a start-gate entry or a credit, each of which keeps the queue alive.
    unsafe Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)
  }

  private final class Nobody: Sendable {}
  private static let nobody = Nobody()
  /// The identity that no scheduler has.
  static let noScheduler = SchedulerIdentity(object: nobody)

  // MARK: Attributes

  /// Name for diagnostics; a generated one when nil was set or nothing.
  public var name: String? {
    get { attributes.withLock { $0.name } ?? generatedName }
    set {
      guard !isFixed else { return }
      let generated = generatedName
      attributes.withLock { attributes in
        let old = attributes.name
        attributes.name = newValue
        if hasExtras { noteName(from: old ?? generated, to: newValue ?? generated) }
      }
      tellObservers()
    }
  }

  private var generatedName: String { "OperationQueue 0x\(String(word, radix: 16))" }

  /// What a room that has a main queue sets.
  package struct MainThreadHook: Sendable {
    /// Returns the main queue on the main thread and nil on others.
    package var current: (@Sendable () -> OperationQueue?)?
  }
  package static let mainThreadHook = Locked(MainThreadHook())

  /// The main queue on the main thread of a program that has one, whatever runs there.
  static var ofMainThread: OperationQueue? { mainThreadHook.withLock { $0.current }?() }

  /// The queue whose operation runs on the calling thread; nil elsewhere and in completion blocks (contract 118).
  ///
  /// On the main thread of a program that imports `OperationsFoundation`: the main queue.
  public static var current: OperationQueue? {
    ThreadRecord.withCurrent { record in
      guard record.currentQueue != 0 else { return ofMainThread }
      // SAFETY: the running operation is a member, which keeps the queue alive.
      return unsafe reference(record.currentQueue).takeUnretainedValue()
    }
  }

  // MARK: Members

  /// The operations that were added and have not left, in submission order (contract 117).
  ///
  /// A copy. O(members). Closures added with `addOperation(_:)` appear as the façade of their handle.
  public var operations: [Operation] { registry.members() }

  /// Holds neither operations nor barriers.
  package var isEmpty: Bool {
    ThreadRecord.withCurrent { $0.flushCredit() }
    return operationCount == 0 && control.withLock { $0.barriers.isEmpty }
  }

  /// How many operations the queue holds, barriers not included.
  ///
  /// Equal to `operations.count` while no other thread adds or finishes. O(threads that run operations).
  public var operationCount: Int {
    var members = count.outstanding - stragglers.load(ordering: .relaxed)  // relaxed: a snapshot
    ThreadRecord.forEach { record in
      members -= record.heldCredits(of: word)
    }
    return max(0, members - control.withLock { $0.barriers.count })
  }

  /// Cancels every operation the queue holds now, executing ones and barriers included (contract 52).
  ///
  /// All of them are marked before the first one is set free, so that none starts because another was flushed.
  public func cancelAllOperations() {
    ThreadRecord.current.holdingBack {
      for member in registry.membersAndClosures() {
        switch member {
        case .operation(let operation): operation.cancel()
        case .closure(let handle): handle.cancel()
        }
      }
    }
  }
}
