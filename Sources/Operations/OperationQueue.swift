// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
public import Scheduling
import Synchronization

/// Starts operations on a scheduler: in priority order among the ready ones, within a limit, unless
/// suspended.
///
/// Members and meaning are those of Foundation's class of the same name. Every member may be called
/// from any thread. A queue with pending operations stays alive until they have finished, even if
/// nobody holds it (contract 110).
///
/// Subclasses may override the members that are open, like those of Foundation's class. The
/// machinery itself calls none of them, so an override sees what users of the queue do;
/// `addOperation(_:)` with a closure alone passes an operation for it to the other
/// `addOperation(_:)`, as on Foundation.
open class OperationQueue: @unchecked Sendable {
  /// Lets the scheduler decide how many operations run at a time.
  public static let defaultMaxConcurrentOperationCount = -1
  /// How many finished operations a worker may hold back from the count.
  static let creditBatch = 256

  /// Where the queue was made to run; its operations run there unless it `isAway`.
  final let home: QueueHome
  /// A barrier is pending: workers hold no credits back.
  final let creditFlag = CreditFlag()

  /// Limit, suspension, ready and running counts.
  final let policy = Atomic<UInt64>(PolicyWord.new)
  /// Address of the `QueueExtras`, retained, or 0; beside the policy, which every operation reads.
  final let extras = Atomic<UInt>(0)
  /// Members, submission ticket and flags.
  final let count = MemberCount()
  /// Who is a member, in submission order.
  final let registry = Registry()
  /// Ready operations that wait for a slot or for resumption.
  final let readyList = ReadyList()
  /// Members that have left the registry while observers are told.
  final let departures = Atomic<Int>(0)
  /// Barriers that have not left, which nobody sees in `operationCount`.
  final let barrierMembers = Atomic<Int>(0)
  /// Serialises changes of limit and suspension, and holds the barriers.
  final let control = Locked(QueueControl())
  /// Wakes threads that wait for the queue.
  final let idleGate = IdleGate()
  final let attributes = Locked(Attributes())
  /// Whether the start gate may rely on the asymmetric barrier.
  final let isAsymmetric = AsymmetricBarrier.isAvailable
  /// What the queue is besides, from its beginning.
  final let role: QueueRole
  /// The bits of its state that an operation loses when it is added.
  final let lostBits = Atomic<UInt32>(0)
  /// What waits inside its operations do, and have done.
  final let waits = WaitState()

  /// True from the first use of what `QueueExtras` holds.
  // relaxed, edge ExtrasMade: the callers explain why what they missed does not count yet; see
  // Observation.md.
  @inline(__always) final var hasExtras: Bool { extras.load(ordering: .relaxed) != 0 }

  /// `hasExtras`, or a recording is under way; one test for both.
  @inline(__always) final var hasExtrasOrIsRecorded: Bool {
    extras.load(ordering: .relaxed) | UInt(recordingWord) != 0  // relaxed: as above
  }

  struct Attributes: Sendable {
    var name: String?
    var qualityOfService = QualityOfService.default
    /// What the property says instead: the main thread has its level from elsewhere.
    var shownQualityOfService: QualityOfService?
    /// For the inner queue of an operation: that operation.
    var owner: OperationLabel?
  }

  /// A queue whose operations run on `scheduler`, which it keeps alive.
  public init(scheduler: any Scheduler) {
    home = QueueHome(scheduler)
    role = QueueRole()
    open()
  }

  /// A queue on the scheduler of a room above this one: of `OperationsFoundation` the process-wide
  /// work-stealing scheduler.
  ///
  /// For programs written for Foundation, whose subclasses override it. Stops the process where no
  /// such room is linked.
  public init() {
    guard let scheduler = Self.roomAbove.withLock({ $0.defaultScheduler })?() else {
      Fault.stop(
        "OperationQueue(): there is no scheduler for it; use OperationQueue(scheduler:), or import "
          + "OperationsFoundation, which has one")
    }
    home = QueueHome(scheduler)
    role = QueueRole()
    open()
  }

  /// The inner queue of `owner`, whose `main()` runs on the calling thread; its operations run
  /// where the owner does.
  ///
  /// `whenEmpty` is called on a worker, once for every time the queue has become empty.
  /// `mayEndFirst` says that the owner does not always wait for its members.
  // Usable from inline only so that it counts as public: a class with a hidden designated
  // initialiser passes no convenience initialiser on to classes of other modules.
  @usableFromInline init(
    innerOf owner: Operation, mayEndFirst: Bool = false, whenEmpty: @escaping @Sendable () -> Void
  ) {
    let outer = owner.queueOfBody
    let ownership = Owner(operation: owner.word, queue: outer)
    home = QueueHome(outer?.scheduler ?? InlineScheduler())
    role = QueueRole(whenEmpty: whenEmpty, owner: mayEndFirst ? nil : ownership)
    let level = owner.storedQualityOfService
    let inherited = level == .default ? outer?.storedQualityOfService ?? .default : level
    let label = owner.label
    let name = label.name.map { "members of \($0)" }
    attributes.withLock {
      $0 = Attributes(name: name, qualityOfService: inherited, owner: label)
    }
    if inherited != .default { _ = extrasMade() }
    // relaxed: nobody else has the queue yet. The flag stays: the owner waits.
    count.word.store(MemberCount.waiters, ordering: .relaxed)
    creditFlag.set(true)
    open()
  }

  /// A queue that starts operations strictly in the order in which they were added, if
  /// `startsInOrder` is set.
  ///
  /// Levels do not count then, and an operation that is not ready holds back those behind it, ready
  /// ones too: what depends on an operation added later never starts (the stall report shows the
  /// cycle). Cancelled operations leave without their turn.
  ///
  /// Dependencies and barriers hold back, a condition of the operation's own does not: one whose
  /// `isReady` is overridden and false when its turn comes, whose `readinessCondition` is not met,
  /// or which lacks a resource, loses its turn, even if it never was ready, and starts when it can.
  /// Express what the order must wait for as a dependency.
  public init(scheduler: any Scheduler, startsInOrder: Bool) {
    home = QueueHome(scheduler)
    role = QueueRole(order: startsInOrder ? StrictOrder() : nil)
    if startsInOrder {
      // relaxed: nobody else has the queue yet.
      policy.store(PolicyWord.withLimit(0, highestLimit), ordering: .relaxed)
    }
    open()
  }

  /// Whether operations start strictly in the order in which they were added.
  public final var startsInOrder: Bool { order != nil }

  /// A serial queue whose attributes cannot be changed: the main queue of a room above this one.
  @usableFromInline package init(
    serialOn scheduler: any Scheduler, fixedName: String, fixedQualityOfService: QualityOfService
  ) {
    home = QueueHome(scheduler)
    role = QueueRole(isFixed: true)
    // relaxed, all: nobody else has the queue yet.
    policy.store(PolicyWord.withLimit(0, 1), ordering: .relaxed)
    control.withLock { $0.limit = 1 }
    attributes.withLock {
      $0 = Attributes(name: fixedName, shownQualityOfService: fixedQualityOfService)
    }
    open()
  }

  /// The last step of every initialiser: from here on others find the queue.
  private final func open() {
    registry.open(for: word)
    LiveQueues.insert(word)
  }

  deinit {
    LiveQueues.remove(word)
    creditFlag.giveBack()
    registry.close()
    freeExtras()
  }

  final var word: UInt { unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// The queue at `word`, unretained.
  static func reference(_ word: UInt) -> Unmanaged<OperationQueue> {
    // SAFETY: `word` comes from a membership, a start-gate entry or a credit, each of which keeps
    // the queue alive.
    unsafe .at(word)
  }

  private final class Nobody: Sendable {}
  private static let nobody = Nobody()
  /// The identity that no scheduler has.
  static let noScheduler = SchedulerIdentity(object: nobody)

  /// Who holds back whom, in a queue that keeps strict order.
  final var order: StrictOrder? { role.order }

  // MARK: What subclasses may override

  /// Name for diagnostics; a generated one when nil was set or nothing.
  ///
  /// Diagnostics show what was set, whatever an override returns.
  open var name: String? {
    get { storedName }
    set { setName(newValue) }
  }

  /// Name and state: `queue "downloads" (1 operation, limit 2, suspended)`.
  ///
  /// Any thread, with any lock of the program held: it calls nothing that a program can override or
  /// pass in.
  open var description: String { diagnosis }

  /// The level that operations inherit which have none of their own, and at least that of all
  /// others (contract 93).
  ///
  /// A change counts for operations that start later (contract 96). Setting a level other than
  /// `default` costs O(operations in the queue).
  open var qualityOfService: QualityOfService {
    get { attributes.withLock { $0.shownQualityOfService ?? $0.qualityOfService } }
    set { setQualityOfService(newValue) }
  }

  /// How many operations may execute at a time; −1, the default, lets the scheduler decide; 0
  /// starts nothing.
  ///
  /// Lowering it interrupts nothing: once the setter has returned, no start exceeds the new limit.
  /// Raising it starts more at once (contract 111, 112). Other negative values stop the process.
  ///
  /// A limit above 32768 is kept rounded down to a multiple of 32, and one above 983040 as 983040:
  /// never more than what was set execute. Without a limit there may execute what the queue holds,
  /// but asynchronous operations that would be the 1048576th to execute at once stop the process: a
  /// queue that may get so many needs a limit.
  open var maxConcurrentOperationCount: Int {
    get { storedLimit }
    set { setLimit(newValue) }
  }

  /// While true no operation starts; running ones go on; adding, cancelling and editing stay legal
  /// (contract 115).
  ///
  /// No start is claimed after the setter has returned; at most as many operations as were running
  /// then may still be about to enter their bodies.
  open var isSuspended: Bool {
    get { isSuspendedNow }
    set { setSuspended(newValue) }
  }

  /// Adds an operation, which the queue keeps until it has finished (contract 105).
  ///
  /// From anywhere, operations of this queue included. An operation that is executing, finished or
  /// in any queue stops the process; `tryAddOperation(_:)` throws instead. O(1) but for its
  /// dependencies. Consuming: one that nobody else keeps goes to the queue without counting a
  /// reference.
  open func addOperation(_ operation: consuming Operation) {
    do { try tryAddOperation(operation) } catch {
      error.fault("addOperation(_:) on queue \"\(storedName)\"")
    }
  }

  /// Adds a closure; the cheapest way to run one.
  ///
  /// No object exists for it until the handle's `operation` is asked for (or an enumeration of the
  /// queue asks). Any thread. O(1), without allocation once the thread's cells are warm, the
  /// closure's own captures apart. A queue of a subclass makes an operation for it and passes that
  /// to `addOperation(_:)`, which may be overridden.
  @discardableResult
  open func addOperation(_ block: consuming @escaping @Sendable () -> Void) -> OperationHandle {
    guard type(of: self) == OperationQueue.self else {
      let operation = BlockOperation(block: block)
      addOperation(operation)
      return OperationHandle(of: operation)
    }
    return addClosure(consume block)
  }

  /// Adds all operations in one step: none of them starts before all are in (contract 87, 105,
  /// 106).
  ///
  /// All are members before the first one may start, and all that are ready are handed over in one
  /// step, together with those that need no slot. One that becomes ready in the middle of the call,
  /// since its last dependency, which is no member of the batch, finishes on another thread or in
  /// an event handler, goes to the queue then, and may start before a more urgent member. Suspend
  /// the queue for the time of the call where that matters.
  ///
  /// Returns when all have finished if `waitUntilFinished` is set. An illegal member stops the
  /// process; `tryAddOperations(_:)` throws and adds none. Does not go through `addOperation(_:)`.
  open func addOperations(_ operations: [Operation], waitUntilFinished: Bool) {
    do { try tryAddOperations(operations) } catch {
      error.fault(
        "addOperations(_:waitUntilFinished:) on queue \"\(storedName)\"")
    }
    guard waitUntilFinished else { return }
    for operation in operations { operation.waitUntilFinished() }
  }

  /// Adds a block that runs after everything added before it, before anything added after it, alone
  /// (contract 116).
  ///
  /// Obeys suspension, limit and `cancelAllOperations()`; not counted in `operations` and
  /// `operationCount`.
  open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) { addBarrier(barrier) }

  /// Cancels every operation the queue holds now, executing ones and barriers included (contract
  /// 52).
  ///
  /// All of them are marked before this call sets the first one free. (A worker that has one
  /// already may skip it as soon as that is marked, and start what it set free. What overrides of
  /// `cancel()` do before: see Composition.md.)
  open func cancelAllOperations() { cancelMembers() }

  /// Blocks until the queue has no operations, those added meanwhile and barriers included
  /// (contract 103).
  ///
  /// Completion blocks of these operations have returned by then (contract 60). From inside one of
  /// the queue's own operations or completion blocks it stops the process.
  @available(*, noasync, message: "blocks the thread; use await finished() on the queue")
  open func waitUntilAllOperationsAreFinished() { _ = waitUntilEmpty(by: nil) }

  /// The queue whose operation runs on the calling thread; nil elsewhere and in completion blocks
  /// (contract 118).
  ///
  /// On the main thread of a program that imports `OperationsFoundation`: the main queue.
  open class var current: OperationQueue? { builtInCurrent }

  /// The queue whose operations run one at a time on the main thread (contract 119).
  ///
  /// They run only while the main thread serves its run loop or `dispatchMain()`. Suspension,
  /// limit, name, underlying queue and quality of service have Foundation's values, attempts to set
  /// them are ignored; `cancelAllOperations()` works. The main thread keeps its niceness, whatever
  /// the quality of service says.
  ///
  /// Stops the process where `OperationsFoundation`, which has the queue, is not linked.
  open class var main: OperationQueue {
    guard let main = roomAbove.withLock({ $0.main }) else {
      Fault.stop("OperationQueue.main: nothing serves the main thread; import OperationsFoundation")
    }
    return main()
  }
}

extension OperationQueue {
  // MARK: Attributes

  /// `name` as it was set, or the generated one.
  package var storedName: String { attributes.withLock { $0.name } ?? generatedName }

  /// The operation whose members the queue holds.
  var labelOfOwner: OperationLabel? { attributes.withLock { $0.owner } }
  /// What errors call the queue: of the inner one of an operation, whose it is.
  var nameInErrors: String { labelOfOwner.map { "(members of \($0))" } ?? storedName }

  /// Implements the setter of `name`.
  private func setName(_ name: String?) {
    guard !role.isFixed else { return }
    let generated = generatedName
    attributes.withLock { attributes in
      let old = attributes.name
      attributes.name = name
      if hasExtras { note(.name, from: old ?? generated, to: name ?? generated) }
    }
    if isRecording, let name { recordQueueName(name) }
    tellObservers()
  }

  var generatedName: String { "OperationQueue 0x\(String(word, radix: 16))" }

  /// What a room that has Foundation's names provides.
  package struct RoomAbove: Sendable {
    /// Returns the main queue on the main thread and nil on others.
    package var current: (@Sendable () -> OperationQueue?)?
    /// The main queue.
    package var main: (@Sendable () -> OperationQueue)?
    /// The scheduler of queues that name none.
    package var defaultScheduler: (@Sendable () -> any Scheduler)?
  }
  package static let roomAbove = Locked(RoomAbove())

  /// The main queue on the main thread of a program that has one, whatever runs there.
  static var ofMainThread: OperationQueue? { roomAbove.withLock { $0.current }?() }

  /// Implements `current`.
  static var builtInCurrent: OperationQueue? {
    ThreadRecord.withCurrent { record in
      guard record.currentQueue != 0 else { return ofMainThread }
      // SAFETY: the running operation is a member, which keeps the queue alive.
      return unsafe reference(record.currentQueue).takeUnretainedValue()
    }
  }
}

extension OperationQueue: CustomStringConvertible {}

extension OperationQueue: Hashable {
  /// True for the same object only (contract 8).
  public static func == (lhs: OperationQueue, rhs: OperationQueue) -> Bool { lhs === rhs }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
