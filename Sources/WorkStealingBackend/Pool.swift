// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// The state that the threads of a pool share; lives until the scheduler and every thread are gone.
///
/// Extensions by topic: Publishing (submit, notify), Running (the worker loop), Searching (steal,
/// look), Parking (the idle counts), Compensation (blocked workers), Stopping.
final class Pool: Sendable {
  let configuration: WorkStealingConfiguration
  /// Regular workers, compensation not included.
  let workerCount: Int
  /// How many workers search at the same time before others go straight to sleep.
  let searchLimit: Int
  /// How long a worker searches before it sleeps, in nanoseconds.
  let spinBudget: UInt64
  /// What the priority policy means for the worker loop.
  let bandRules: BandRules
  /// Where the threads run; nil when they are not pinned.
  let placement: WorkerPlacement?
  private let gap1 = LineGap()
  /// `IdleCounts`.
  let idleCounts: Padded<Atomic<UInt64>>
  /// Blocked workers and active compensation threads, `Compensation`.
  let compensation = Padded(Atomic<UInt64>(0))
  /// Workers that may hold jobs are 0 ..< this; changes under the lock of `threads`, as spares
  /// start and end.
  let knownWorkers: Padded<Atomic<Int>>
  /// Times somebody woke a worker.
  let wakeUps = Padded(Atomic<Int>(0))
  let injector = Injector()
  /// Wake tokens that nobody has taken yet.
  let tokens = Futex()
  /// Counts joined threads; callers of `join()` sleep on it while others join the last ones.
  let joined = Futex()
  /// The regular workers, then the records of compensation threads.
  let workers: ObjectTable<Worker>
  /// Makes the record of a compensation thread past the limit.
  let makeWorker: @Sendable (Int) -> Worker
  let threads: Locked<Threads>

  /// A pool whose threads do not run yet.
  init(workers count: Int, configuration: WorkStealingConfiguration) {
    do { try configuration.validate() } catch { fatalError("\(error)") }
    let limit = configuration.compensationLimit
    WorkerCount.check(count, spares: limit, of: "WorkStealingScheduler")
    self.configuration = configuration
    workerCount = count
    let processors = CPUCount.available
    searchLimit = max(1, min(count, processors) / 2)
    spinBudget =
      configuration.spinBudgetNanoseconds
      ?? (count < processors ? Self.usualSpinBudgetNanoseconds : 0)
    bandRules = BandRules(configuration.priorityPolicy)
    let placement = WorkerPlacement(
      pinning: configuration.pinning, topology: configuration.topology)
    self.placement = placement
    knownWorkers = Padded(Atomic(count))
    idleCounts = Padded(Atomic(IdleCounts.initial(workers: count).word))
    threads = Locked(Threads())
    let identity = PoolIdentity()
    let make: @Sendable (Int) -> Worker = { index in
      Worker(
        index: index, pool: ObjectIdentifier(identity), configuration: configuration,
        victims: VictimOrder.victims(
          of: index, workers: count, placement: placement, configuration.stealOrder))
    }
    let capacity = min(count + limit + Self.sparesPastLimit, WorkerCount.limit)
    workers = ObjectTable(count: count + limit, capacity: capacity, make)
    makeWorker = make
    self.identity = identity
  }

  /// Threads that may run besides the workers and `compensationLimit` others, each because all of
  /// those wait.
  static var sparesPastLimit: Int { 16_384 }

  /// Compensation threads that stay when they retire; those with higher numbers end.
  ///
  /// One at least, so that a pool of one worker that has had a thief always knows of one.
  var sparesKept: Int { max(1, configuration.compensationLimit) }

  /// Whether the pool has one worker and has never had another; asked on the threads of workers.
  ///
  /// Then nobody steals, and nobody else takes what is injected: see the page Deque, "A pool of
  /// one".
  @inline(__always) var isAlone: Bool {
    // relaxed: it ceases to be 1 on the thread of the only worker, before another one is started,
    // and for good.
    knownWorkers.value.load(ordering: .relaxed) == 1
  }

  /// How long a worker looks for jobs before it sleeps when the pool has processors to spare.
  static var usualSpinBudgetNanoseconds: UInt64 { 20_000 }

  /// Stands for the pool in contexts and workers.
  let identity: PoolIdentity

  /// The worker that runs on the calling thread.
  static let currentWorker = WorkerSlot<Worker>()

  /// Starts every regular worker; once.
  func start() {
    for index in 0..<workerCount {
      let thread: SystemThread
      do {
        thread = try startThread(index)
      } catch {
        fatalError("work-stealing worker \(index) of \(workerCount): \(error)")
      }
      threads.withLock { $0.handles[index] = thread }
    }
  }

  /// Starts the thread of worker `index`.
  func startThread(_ index: Int) throws(SystemThreadError) -> SystemThread {
    let name = index < workerCount ? "steal-\(index)" : "spare-\(index)"
    return try SystemThread.start(name: name, stackSize: configuration.stackSize) {
      if let placement = self.placement {
        ThreadAffinity.restrict(
          name, to: placement.processors(of: index, workers: self.workerCount))
      }
      self.workers.with(index) { worker in
        Self.currentWorker.set(worker)
        self.runWorker(worker)
        Self.currentWorker.set(nil)
      }
    }
  }

  /// Runs `body` with the calling thread's worker if it belongs to this pool.
  @inline(__always) func withOwnWorker<Result>(_ body: (Worker) -> Result) -> Result? {
    let outcome: Result?? = Self.currentWorker.with { worker in
      worker.pool == ObjectIdentifier(identity) ? body(worker) : nil
    }
    return outcome ?? nil
  }
}

/// An object whose identity stands for a pool.
final class PoolIdentity: Sendable {}

/// Threads of a pool, under one lock; touched when threads start, retire and end.
struct Threads: Sendable {
  /// Threads by worker, but for those that have ended or are being joined.
  var handles: [Int: SystemThread] = [:]
  /// The spare that ended last; it has joined the one before it.
  var lastEnded: SystemThread?
  /// Threads that somebody is joining.
  var beingJoined = 0
  /// Retired compensation threads that wait for an order.
  var idleSpares: [Int] = []
  /// Activations to be taken up by spares that are about to retire.
  var pendingActivations = 0
  /// Compensation threads that have not ended.
  var spares = 0
  /// Their positions behind the regular workers.
  var numbers = WorkerIndices()
  /// Compensation threads started so far.
  var sparesStarted = 0
  /// Somebody has begun to stop the pool.
  var isStopRequested = false
  /// No job runs and none will; retired threads end.
  var isOver = false
}
