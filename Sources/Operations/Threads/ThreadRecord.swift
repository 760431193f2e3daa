// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Glibc
import Scheduling
import Synchronization

/// What the operation layer keeps per thread: what runs here, the start-gate entries, credits and
/// caches.
///
/// Only the owning thread touches a record, but for the atomics. Records are made on first use,
/// given to a later thread when theirs ends, and never freed, so that a scan may read them at any
/// time.
@safe final class ThreadRecord {
  /// How deep operations may run inside operations on one thread, if its stack is as large as that.
  static let depthLimit = 16_384
  /// Levels by which the part of the arrays below that a scan looks at grows.
  private static let depthStep = 64

  /// Start-gate entries, one per nesting level: the queue whose operation runs in fast mode, or 0.
  let entries: UnsafeMutablePointer<Atomic<UInt>>
  /// Levels that scans look at; only the owner changes it.
  let levelsInUse = Atomic<Int>(ThreadRecord.depthStep)
  /// Per level the queue whose limit has counted the operation there, or 0; written under that
  /// queue's `control`.
  let counted: UnsafeMutablePointer<Atomic<UInt>>
  /// The queue that the held-back credits belong to, or 0; see Credits.swift.
  let creditQueue = Atomic<UInt>(0)
  /// Operations credited in the life of the record, modulo 2^32.
  let earned = Atomic<UInt32>(0)
  /// How many of them were subtracted.
  let taken = Atomic<UInt32>(0)

  /// The worker that has last run a fork's half here, or -1; a hint for other threads.
  let worker = Atomic<Int>(-1)

  /// The closure cell that this thread retires at the moment, or 0; see `ClosureNode.retire`.
  let retiring = Atomic<UInt>(0)

  /// Used levels of `entries`.
  var depth = 0
  /// How many handles waits may still leave with a scheduler before the next look for them; see
  /// `noteHandleLeft(in:)`.
  var allowances: [SchedulerIdentity: Int] = [:]
  /// Where the last quarter of the thread's stack begins, 1 where the system does not say; 0 before
  /// the first question.
  private var stackFloor: UInt = 0
  /// The operation that this worker is starting, until built-in `start()` sees it.
  var startingOperation: UInt = 0
  /// The queue whose slot a drain has claimed for the job it runs next, or 0.
  var claim: UInt = 0
  /// Set when the job that a drain ran has taken or given up the drain's slot.
  var slotIsGone = false
  // The innermost level, field by field; see ThreadRecord+Levels.swift.
  /// `Level.operation`.
  var currentOperation: UInt = 0
  /// `Level.queue`.
  var currentQueue: UInt = 0
  /// `Level.graph`.
  var currentGraph: UInt = 0
  /// `Level.completingQueue`.
  var completingQueue: UInt = 0
  /// `Level.stage`.
  var stage = Stage.body
  /// `Level.isByHand`.
  var isByHand = false
  /// Runs the part of a task that runs here.
  var executorOfPart: OperationExecutor?
  /// The levels below, outermost first.
  var enclosing: [Level] = []
  /// What the calls under way here hand over last, outermost first; see ThreadRecord+Owing.swift.
  var owed: [StoredChain] = [] { didSet { owedCount = owed.count } }
  /// How many chains that are; a field of its own, which the usual way reads without a check for
  /// exclusive access.
  private(set) var owedCount = 0
  /// What the getters of one operation answer on this thread, while they are asked what to tell.
  var valueBeingTold: ValueBeingTold?
  /// The niceness that the thread has by itself, while a body runs with one of its own.
  var ownNiceness: Int?
  /// What this thread waits for inside an operation, for reports.
  let blocked = Locked<BlockedWait?>(nil)
  /// Blocks this thread while it waits.
  let parker = Parker()
  /// Additions under way on this thread, one inside the other.
  var addsUnderWay = 0
  /// The innermost cancellation of several operations that is under way here.
  var cancellation: Cancellation?
  /// A batch is being submitted here.
  var isInBatch = false
  /// What its members have inherited so far, to be let go with the batch.
  var inherited: Cancellation?
  /// Which stripe of a queue's registry this thread adds to.
  let stripe: Int
  /// References that `release(_:)` still has to release.
  private var releaseList: [UInt] = []
  /// How many those are; a field of its own for the reason that `owedCount` has.
  private var releasesLeft = 0
  /// How many calls of `release(_:)` lie inside each other on this thread.
  private var releaseDepth = 0
  /// Closures and operations that `dispose(of:)` still has to let go of.
  private var garbage: [Any] = []
  private var isDisposing = false
  /// Free closure nodes.
  let nodeCache = ClosureNodeCache()

  /// The record made before this one, or 0.
  private let older: UInt

  fileprivate init(index: Int, older: UInt) {
    stripe = RegistryStripe.index(ofRecord: index)
    self.older = older
    unsafe entries = Self.zeros()
    unsafe counted = Self.zeros()
  }

  /// A word per level, all 0; the system provides the memory when a level is first used.
  private static func zeros() -> UnsafeMutablePointer<Atomic<UInt>> {
    guard let words = unsafe calloc(depthLimit, MemoryLayout<Atomic<UInt>>.stride) else {
      Fault.stop("a thread's record: the system has no memory for it; raise the memory limit")
    }
    // SAFETY: the size is that of as many words, and a word of zeros is an atomic 0.
    return unsafe words.bindMemory(to: Atomic<UInt>.self, capacity: depthLimit)
  }

  // MARK: Finding records

  /// Where the record lies; never 0.
  var address: UInt { unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// The record of the calling thread.
  // SAFETY: it is never freed.
  static var current: ThreadRecord { unsafe currentReference.takeUnretainedValue() }

  /// Runs `body` with the calling thread's record, without counting a reference.
  @inline(__always)
  static func withCurrent<Result>(_ body: (ThreadRecord) -> Result) -> Result {
    // SAFETY: as in `current`.
    unsafe currentReference._withUnsafeGuaranteedRef(body)
  }

  /// The record of the calling thread, which lives for ever.
  @inline(__always) static var currentReference: Unmanaged<ThreadRecord> {
    // SAFETY: set by `adoptRecord` to a record that is never freed.
    unsafe Unmanaged.fromOpaque(shim_get_operations() ?? adoptRecord())
  }

  /// How many records there are, and those whose threads have ended.
  fileprivate static let registry = Locked((count: 0, free: [UInt]()))
  /// Calls `threadEnds` with what a thread has set for it.
  fileprivate static let key: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key) { unsafe ThreadRecord.threadEnds($0) }
    return key
  }()
  /// The record made last, or 0; changes under the lock of `registry`.
  fileprivate static let newest = Atomic<UInt>(0)

  /// Every record that exists, for scans; newest first.
  static func forEach(_ body: (ThreadRecord) -> Void) {
    // sequentially consistent, edge StartGate: whoever has stored an entry before the policy
    // changed is found.
    var address = newest.load(ordering: .sequentiallyConsistent)
    while address != 0 {
      let record = record(at: address)
      body(record)
      address = record.older
    }
  }

  private static func record(at address: UInt) -> ThreadRecord {
    // SAFETY: records that `adoptRecord` has made are never released.
    unsafe Unmanaged.at(address).takeUnretainedValue()
  }

  /// The thread that used the record at `address` ends.
  private static func threadEnds(_ address: UnsafeMutableRawPointer?) {
    let word = UInt(bitPattern: address)
    let record = record(at: word)
    record.settleCredit()
    record.nodeCache.giveBackAll()
    record.stackFloor = 0
    shim_set_operations(nil)
    registry.withLock { $0.free.append(word) }
  }

  // MARK: Depth

  /// Whether at least a quarter of the thread's stack is free, and a level of the record.
  var hasRoomForMore: Bool {
    if stackFloor == 0 { stackFloor = max(1, shim_stack_floor()) }
    return shim_stack_position() > stackFloor && depth < Self.depthLimit
  }

  /// Lets scans look at more levels, before the next one is used.
  @inline(never) func useMoreLevels(for queue: OperationQueue) {
    guard hasRoomForMore else { Fault.nestingTooDeep(queue) }
    // relaxed: only this thread changes it.
    let levels = levelsInUse.load(ordering: .relaxed) + Self.depthStep
    // sequentially consistent, edge StartGate: before any entry there, so that whoever has to find
    // that looks there.
    levelsInUse.store(min(levels, Self.depthLimit), ordering: .sequentiallyConsistent)
  }

  // MARK: Starting

  /// True when the worker is starting `operation` right now: the caller is its built-in `start()`.
  func takeStarting(_ operation: Operation) -> Bool {
    guard startingOperation == operation.word else { return false }
    startingOperation = 0
    return true
  }

  // MARK: Letting go

  /// So few that they fit on any stack, and so many that most releases need no list.
  private static let releaseDepthLimit = 8

  /// Releases one reference to the operation at `word`, whose end releases others in turn.
  ///
  /// Up to `releaseDepthLimit` such calls lie inside each other. What comes deeper waits in a list
  /// for the outermost one, so that a chain of any length ends on any stack (contract 132).
  @inline(__always) func release(_ word: UInt) {
    guard releaseDepth < Self.releaseDepthLimit else { return releaseLater(word) }
    releaseDepth += 1
    // SAFETY: the caller hands over one reference per word.
    unsafe Operation.reference(word).release()
    releaseDepth -= 1
    if releaseDepth == 0, releasesLeft > 0 { releaseRest() }
  }

  @inline(never) private func releaseLater(_ word: UInt) {
    releaseList.append(word)
    releasesLeft += 1
  }

  /// On the outermost level: what the inner ones have left.
  @inline(never) private func releaseRest() {
    releaseDepth = 1
    while let word = releaseList.popLast() {
      releasesLeft -= 1
      // SAFETY: as above.
      unsafe Operation.reference(word).release()
    }
    releaseDepth = 0
  }

  /// Lets go of `object`, with a loop instead of recursion when its end lets go of others in the
  /// same way.
  ///
  /// For what an operation that never ran has kept.
  /// Takes the caller's reference over: it must be the last one that the caller has.
  func dispose(of object: consuming Any) {
    garbage.append(object)
    guard !isDisposing else { return }
    isDisposing = true
    while garbage.popLast() != nil {}
    isDisposing = false
  }
}

/// The calling thread's record, which it does not have yet.
///
/// No static function: the usual case, which does not call it, would fetch the class for it.
@inline(never) private func adoptRecord() -> UnsafeMutableRawPointer {
  let address = ThreadRecord.registry.withLock { registry in
    if let free = registry.free.popLast() { return free }
    let older = ThreadRecord.newest.load(ordering: .relaxed)  // relaxed: locked
    let made = ThreadRecord(index: registry.count, older: older)
    registry.count += 1
    let address = unsafe UInt(bitPattern: Unmanaged.passRetained(made).toOpaque())
    // sequentially consistent, edge StartGate: publishes the record to `forEach`, before any
    // entry in it.
    ThreadRecord.newest.store(address, ordering: .sequentiallyConsistent)
    return address
  }
  let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address)
  unsafe shim_set_operations(pointer)
  unsafe pthread_setspecific(ThreadRecord.key, pointer)
  return unsafe pointer.unsafelyUnwrapped
}
