// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// What a pool knows, guarded by its one lock: the queue and who does what.
///
/// A pure machine. It never locks, wakes or starts anything: it answers with a `Step` for the
/// calling thread and a `Summons` that the caller carries out after unlocking. Invariant outside
/// `stopped`: when the queue holds more jobs than there are threads on their way to it, then either
/// `workerCount` threads are able to run, or the limit of threads is reached.
struct PoolState: ~Copyable {
  /// What a worker thread does next.
  enum Step {
    /// Run a job; these bands have jobs waiting.
    case run(QueuedJob, bands: UInt8)
    /// Nothing to take: give back what is held, then ask `settle`.
    case idle
    /// Wait for a token, then call `arrive`.
    case sleep
    /// End the thread.
    case exit
  }

  /// What the caller must do for other threads after unlocking.
  struct Summons {
    /// Sleeping threads to wake.
    var wake = 0
    /// Threads to start.
    var start = 0
  }

  /// Compensation threads that may exist at a time, but for `compensatePastLimit()`.
  static let compensationLimit = 256

  let workerCount: Int
  /// True when every job goes into one band on its way into the queue.
  let usesOneBand: Bool
  var queue = JobQueue()
  /// Threads able to run jobs: neither asleep nor blocked, those on their way included.
  var running: Int
  /// Threads that were woken or started and have not looked at the queue yet.
  var arriving: Int
  /// Threads that wait for a token that nobody has promised yet.
  var sleeping = 0
  /// Threads between `willBlock` and `didUnblock`.
  var blocked = 0
  /// Threads that may run jobs sooner or later: running, asleep, blocked or being started.
  var threads: Int
  /// Threads that have not ended, those that are about to included.
  var alive: Int
  /// No more submissions from outside are expected; the threads end when everything has run.
  var stopping = false
  /// Everything has run; the threads are ending or gone.
  var stopped = false
  /// Threads that wait in `shutDown` for the last thread to end.
  var joiners = 0
  /// Worker indices of ended threads, for reuse.
  private var freeIndices: [Int] = []
  private var indicesUsed: Int
  /// Jobs run by workers that waited.
  var helped = 0
  private var parks = 0
  private var wakeUps = 0
  private var compensations = 0

  /// A pool whose first `workers` threads are being started.
  init(workers: Int, usesOneBand: Bool = false) {
    workerCount = workers
    self.usesOneBand = usesOneBand
    running = workers
    arriving = workers
    threads = workers
    alive = workers
    indicesUsed = workers
  }

  /// Takes over jobs from any thread.
  mutating func submit(_ jobs: consuming JobChain, areAwaited: Bool) -> Summons {
    add(jobs, areAwaited: areAwaited)
    return summon()
  }

  /// A woken or new thread is here.
  mutating func arrive() -> (Step, Summons) {
    arriving -= 1
    return (next(), summon())
  }

  /// A worker has run a job, which made these ready: takes them over and picks the best of all.
  mutating func finish(_ ready: consuming JobChain, areAwaited: Bool) -> (Step, Summons) {
    add(ready, areAwaited: areAwaited)
    return (next(), summon())
  }

  /// An idle worker has given back what it held: picks a job that came meanwhile, or leaves the
  /// running threads.
  mutating func settle(_ ready: consuming JobChain) -> (Step, Summons) {
    add(ready)
    if case .run(let job, let bands) = next() { return (.run(job, bands: bands), summon()) }
    running -= 1
    var summons = stopIfQuiet()
    if stopped || threads - blocked > 2 * workerCount {
      threads -= 1
      return (.exit, summons)
    }
    // Only a surplus thread can leave jobs behind; the others take them.
    summons.wake += summon().wake
    sleeping += 1
    parks += 1
    return (.sleep, summons)
  }

  /// A worker blocks: another thread may take its place.
  mutating func block() -> Summons {
    running -= 1
    blocked += 1
    return summon()
  }

  /// A thread more than the limit allows, if all are blocked.
  mutating func compensatePastLimit() -> Summons {
    var summons = Summons()
    if running == 0, sleeping == 0 { start(1, &summons) }
    return summons
  }

  /// A worker runs again; if that makes one too many, one of them settles at its next job boundary.
  mutating func unblock() {
    running += 1
    blocked -= 1
  }

  /// What was counted; nobody steals from one queue.
  var counters: SchedulerCounters {
    var counters = SchedulerCounters()
    (counters.parks, counters.wakeUps, counters.compensations) = (parks, wakeUps, compensations)
    (counters.steals, counters.failedSteals) = (0, 0)
    counters.helped = helped
    return counters
  }

  /// Starts the end of the pool.
  mutating func stop() -> Summons {
    stopping = true
    return stopIfQuiet()
  }

  /// A thread ends: returns how many waiting `shutDown` calls to let go, which is none before the
  /// last thread.
  mutating func end(index: Int) -> Int {
    alive -= 1
    freeIndices.append(index)
    return alive == 0 ? joiners : 0
  }

  /// Whether the jobs that a thread was announced for are in other hands when it cannot be started.
  ///
  /// Threads on their way are not counted on: they may be refused as well.
  var canDoWithoutStart: Bool { queue.isEmpty || sleeping > 0 || running > arriving }

  /// A thread that was announced by `Summons.start` could not be started: whoever went to sleep
  /// because it was to come is woken in its place, and a pool that waited for it only ends.
  mutating func startFailed(index: Int) -> Summons {
    threads -= 1
    alive -= 1
    running -= 1
    arriving -= 1
    compensations -= 1
    freeIndices.append(index)
    let ending = stopIfQuiet()
    return stopped ? ending : summon(startingAtMost: 0)
  }

  /// The index for a thread that is about to be started.
  mutating func takeIndex() -> Int {
    if let index = freeIndices.popLast() { return index }
    indicesUsed += 1
    return indicesUsed - 1
  }

  @inline(__always) private mutating func add(
    _ jobs: consuming JobChain, areAwaited: Bool = false
  ) {
    queue.add(usesOneBand ? jobs.inOneBand(.normal) : jobs, areAwaited: areAwaited)
  }

  /// The best job, unless there is none or `workerCount` other threads are able to run.
  private mutating func next() -> Step {
    guard running <= workerCount, let job = queue.popFirst() else { return .idle }
    return .run(job, bands: queue.bands)
  }

  /// As many threads as there are jobs that nobody comes for, as far as `workerCount` allows.
  private mutating func summon(startingAtMost limit: Int = .max) -> Summons {
    var summons = Summons()
    let wanted = min(queue.count - arriving, workerCount - running)
    guard wanted > 0 else { return summons }
    summons.wake = min(wanted, sleeping)
    let room = max(0, workerCount + Self.compensationLimit - threads)
    sleeping -= summons.wake
    running += summons.wake
    arriving += summons.wake
    wakeUps += summons.wake
    start(min(wanted - summons.wake, room, limit), &summons)
    return summons
  }

  private mutating func start(_ count: Int, _ summons: inout Summons) {
    summons.start = count
    threads += count
    alive += count
    running += count
    arriving += count
    compensations += count
  }

  /// Ends the pool if nothing runs and nothing can come.
  private mutating func stopIfQuiet() -> Summons {
    guard stopping, !stopped, running == 0, blocked == 0, queue.isEmpty else { return Summons() }
    stopped = true
    let wake = sleeping
    sleeping = 0
    running += wake
    arriving += wake
    wakeUps += wake
    return Summons(wake: wake, start: 0)
  }
}
