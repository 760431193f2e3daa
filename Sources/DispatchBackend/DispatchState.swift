// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Dispatch
internal import Scheduling

/// What the scheduler knows, guarded by its one lock: the queue and the items that libdispatch
/// holds.
///
/// A pure machine. It hands nothing to libdispatch: it answers with a `Summons` that the caller
/// carries out after unlocking. Invariant: when the queue holds more jobs than there are items on
/// their way to it, then either `workerCount` items are in flight and not blocked, or the limit of
/// items is reached.
struct DispatchState: ~Copyable {
  /// Items the caller must hand to libdispatch after unlocking.
  struct Summons {
    /// For the concurrent queue.
    var shared = 0
    /// For a thread that libdispatch would not start for the concurrent queue.
    var extra = 0
    /// For threads of the scheduler's own, past the limit: libdispatch has no more.
    var own = 0
    /// Waiting `shutDown` calls to let go.
    var ended = 0
    /// Where the items go instead of the global queue.
    var target: DispatchQueue?
  }

  /// Items in flight at a time besides `workerCount`, but for `compensatePastLimit()`.
  static let compensationLimit = 192

  let workerCount: Int
  /// Items that the concurrent queue gets at a time: it has about one thread per processor and is
  /// slow to add more.
  private let sharedLimit: Int
  var queue = JobQueue()
  /// Items that libdispatch holds or runs.
  private var inFlight = 0
  /// Of these, items on the concurrent queue.
  private var sharedInFlight = 0
  /// Of these, items that have not looked at the queue yet.
  private var arriving = 0
  /// Of these, items whose own thread the system refuses, and for which somebody asks again.
  private var refused = 0
  /// Of the items in flight, those between `willBlock` and `didUnblock`.
  private var blocked = 0
  private var indices = WorkerIndices()
  /// The last item that was left waits for others: while all are blocked there may be one more than
  /// the limit says.
  private var isNeeded = false
  private var stopping = false
  /// Everything has run after `stop`.
  private(set) var stopped = false
  private var joiners = 0
  /// Where items go instead of the global queue; changed while nothing is queued or runs.
  var target: DispatchQueue?
  /// Jobs run by items that waited.
  var helped = 0
  private var wakeUps = 0
  private var compensations = 0

  /// A scheduler with nothing to do.
  init(workers: Int, processors: Int) {
    workerCount = workers
    sharedLimit = min(workers, processors)
  }

  /// Takes over jobs from any thread.
  mutating func submit(_ jobs: consuming JobChain, areAwaited: Bool) -> Summons {
    queue.add(jobs, areAwaited: areAwaited)
    return summon()
  }

  /// An item starts: the best job, and the worker that the item is; nil when another took the job,
  /// or it was handed to another target.
  mutating func arrive(on target: DispatchQueue?, isExtra: Bool) -> (job: QueuedJob, worker: Int)? {
    arriving -= 1
    guard target === self.target, let job = queue.popFirst() else {
      end(isExtra)
      return nil
    }
    return (job, indices.take())
  }

  /// Takes over what a job made ready and gives the item its next job; nil when there is none, or
  /// an item too many, or the target is another one.
  mutating func advance(
    on target: DispatchQueue?, ready: consuming JobChain, areAwaited: Bool
  ) -> (QueuedJob?, Summons) {
    queue.add(ready, areAwaited: areAwaited)
    let goesOn = inFlight - blocked <= workerCount && target === self.target
    let next = goesOn ? queue.popFirst() : nil
    return (next, summon())
  }

  /// An item ends; the next job gets an item of its own.
  mutating func leave(worker: Int, isExtra: Bool, ready: consuming JobChain) -> Summons {
    queue.add(ready)
    indices.giveBack(worker)
    end(isExtra)
    return summon()
  }

  /// An item blocks: another may take its place.
  mutating func block() -> Summons {
    blocked += 1
    return summon()
  }

  /// The calling item waits for other jobs: an item is let go whenever all are blocked and a job is
  /// queued.
  mutating func compensatePastLimit() -> Summons {
    isNeeded = true
    return summon()
  }

  /// Whether an item is here that is not blocked, or comes for certain: a queue of the user's has
  /// the threads that it has, a serial one no other than that of the item that is blocked.
  var hasThread: Bool { target == nil || inFlight - arriving > blocked }

  /// The system refuses the thread of an item for the first time.
  mutating func refuseOwn() { refused += 1 }

  /// The thread of an item that was refused runs after all.
  mutating func startRefused() { refused -= 1 }

  /// Whether the jobs that a refused item was announced for are in other hands, or can be.
  ///
  /// Items that libdispatch holds are: it asks the system for their threads as long as it takes.
  var canDoWithoutRefused: Bool {
    queue.isEmpty || sharedInFlight < sharedLimit || inFlight - refused > blocked
  }

  /// A refused item is given up: an item of the concurrent queue may take its place, and a stop
  /// that waited for it only ends.
  ///
  /// Whoever waits past the limit still does.
  mutating func giveUpRefused() -> Summons {
    refused -= 1
    arriving -= 1
    wakeUps -= 1
    if inFlight > workerCount { compensations -= 1 }
    inFlight -= 1
    return summon(isStarting: false)
  }

  /// Jobs wait and every item is blocked.
  private var isShort: Bool { inFlight == blocked && !queue.isEmpty }

  /// An item runs again; if that makes one too many, it is not followed by another when it ends.
  mutating func unblock() { blocked -= 1 }

  /// What was counted; libdispatch does not tell when its threads sleep.
  var counters: SchedulerCounters {
    var counters = SchedulerCounters()
    (counters.wakeUps, counters.compensations, counters.helped) = (wakeUps, compensations, helped)
    (counters.steals, counters.failedSteals) = (0, 0)
    return counters
  }

  /// Expects no more jobs from outside; returns whether the caller must wait until everything has
  /// run.
  mutating func stop() -> Bool {
    stopping = true
    stopped = inFlight == 0 && queue.isEmpty
    if !stopped { joiners += 1 }
    return !stopped
  }

  /// As many items as there are jobs that nobody comes for, as far as `workerCount` allows.
  ///
  /// Without starting threads these are items of the concurrent queue, which has some, whatever the
  /// limit.
  mutating func summon(isStarting: Bool = true) -> Summons {
    var summons = Summons(target: target)
    let limit = workerCount + Self.compensationLimit
    var wanted = min(queue.count - arriving, workerCount - (inFlight - blocked))
    if isStarting { wanted = min(wanted, limit - inFlight) }
    let shared = max(0, min(wanted, sharedLimit - sharedInFlight))
    if !isStarting { wanted = shared }
    if wanted > 0 {
      summons.shared = shared
      summons.extra = wanted - summons.shared
      sharedInFlight += summons.shared
      inFlight += wanted
      arriving += wanted
      wakeUps += wanted
      compensations += max(0, min(wanted, inFlight - workerCount))
    } else if isStarting, isNeeded, isShort {
      // Past the limit; a queue of the user's has the threads that it has.
      if target == nil { summons.own = 1 } else { summons.extra = 1 }
      inFlight += 1
      arriving += 1
      wakeUps += 1
      compensations += 1
    } else if stopping, !stopped, inFlight == 0, queue.isEmpty {
      stopped = true
      summons.ended = joiners
      joiners = 0
    }
    return summons
  }

  private mutating func end(_ isExtra: Bool) {
    inFlight -= 1
    if inFlight < workerCount + Self.compensationLimit { isNeeded = false }
    if !isExtra { sharedInFlight -= 1 }
  }
}
