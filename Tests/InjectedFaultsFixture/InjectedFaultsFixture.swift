// SPDX-License-Identifier: Apache-2.0

import CInjectedFaults
import ConcurrencyPrimitives
import DispatchBackend
import Glibc
import Operations
import SchedulerConformance
import Scheduling
import Synchronization
import ThreadPoolBackend
import WorkStealingBackend

#if OneTBB
  import OneTBBBackend
#endif

/// Runs a small program of jobs on a scheduler while one call of the system fails, or it and later
/// ones.
///
/// Arguments: scheduler, workers, kind of call, error, number of the call, `once`, `forever` or
/// `third` for every third call from there on, and the program. Prints how many calls of the kind
/// there were. Exit code 0: every job ran as often as it should. 1: not so. 64: the arguments are
/// wrong.
@main struct InjectedFaultsFixture {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 8, let workers = Int(arguments[2]), let kind = kinds[arguments[3]],
      let error = Int32(arguments[4]), let number = Int64(arguments[5]),
      let step = steps[arguments[6]], let program = JobProgram.Kind(rawValue: arguments[7])
    else {
      print("expected a scheduler, workers, a kind, an error, a number, a duration and a program")
      exit(64)
    }
    injected_fault(kind, error, number, step)
    guard let scheduler = make(arguments[1], workers) else {
      print("no scheduler \(arguments[1])")
      exit(64)
    }
    let jobs = JobProgram(scheduler, canBlock: arguments[1] != "inline")
    jobs.run(program) {
      make(arguments[1], workers) ?? scheduler
    } refuse: {
      // From the next call on.
      injected_fault(kind, error, 1, 1)
    }
    scheduler.shutDown()
    print("calls \(injected_calls())")
    guard jobs.runs == jobs.expected else {
      print("\(jobs.runs) of \(jobs.expected) jobs ran")
      exit(1)
    }
    exit(0)
  }

  private static let kinds = [
    "thread": INJECTED_THREAD, "memory": INJECTED_MEMORY, "futex": INJECTED_FUTEX,
    "barrier": INJECTED_BARRIER,
  ]
  private static let steps: [String: Int64] = ["once": 0, "forever": 1, "third": 3]

  private static func make(_ name: String, _ workers: Int) -> (any Scheduler)? {
    switch name {
    case "work-stealing":
      var configuration = WorkStealingConfiguration()
      configuration.compensationLimit = JobProgram.depth + 10
      return WorkStealingScheduler(workers: workers, configuration: configuration)
    case "thread-pool": return ThreadPoolScheduler(workers: workers)
    case "dispatch": return DispatchScheduler(workers: workers)
    case "inline": return InlineScheduler()
    #if OneTBB
      case "onetbb": return OneTBBScheduler(workers: workers)
    #endif
    default: return nil
    }
  }
}

/// Jobs that come alone, in chains, from other jobs, and that block until others have run.
private final class JobProgram: Sendable {
  enum Kind: String {
    /// Some of everything.
    case usual
    /// Two schedulers whose jobs block as deep as each compensates, then one past that.
    case deep
    /// A job that blocks alone until somebody outside lets it go on.
    case lonely
    /// A job that blocks alone until a job runs that comes later.
    case late
    /// As many jobs block as the scheduler compensates, and the last asks in vain for one more.
    case past
    /// As many jobs block as the scheduler compensates, and the last one waits for an operation
    /// that goes on in a job from outside.
    case outside
    /// As `outside`, in a job that belongs to a worker which has blocked since.
    case stranded
  }

  /// Jobs that block at a time on one scheduler: fewer than any compensates, but on two schedulers
  /// more than libdispatch has threads for.
  static let depth = 150

  private let scheduler: any Scheduler
  private let canBlock: Bool
  private let count = Atomic<Int>(0)
  /// Runs at which the main thread goes on, reached by one job.
  private let goal = Atomic<Int>(0)
  private let isReached = Turnstile()

  /// How often jobs run in all.
  var expected: Int { goal.load(ordering: .relaxed) }  // relaxed: the main thread's own
  // acquire: pairs with the release in `note`.
  var runs: Int { count.load(ordering: .acquiring) }

  init(_ scheduler: any Scheduler, canBlock: Bool) {
    self.scheduler = scheduler
    self.canBlock = canBlock
  }

  func run(
    _ kind: Kind, _ makeOther: () -> any Scheduler, refuse: @escaping @Sendable () -> Void
  ) {
    switch kind {
    case .usual: for _ in 0..<5 { runRound() }
    case .deep: runDeep(makeOther())
    case .lonely: runAlone { gate in gate.signal() }
    case .late:
      expect(1)
      runAlone { gate in
        scheduler.submit {
          self.note()
          gate.signal()
        }
      }
      isReached.wait()
    case .past: runPastLimit(refuse)
    case .outside, .stranded: runInParts(resumedOutside: kind == .outside, refuse)
    }
  }

  private func runRound() {
    expect(80 + 61 + 31)
    var chain = JobChain()
    for _ in 0..<80 { chain.append(ClosureJob.plain { self.note() }) }
    scheduler.submit(chain)
    scheduler.submit {
      self.note()
      for _ in 0..<60 { self.scheduler.submit { self.note() } }
    }
    runOperations()
    isReached.wait()
    guard canBlock else { return }
    // Nobody submits anything now that would have the scheduler ask for a thread once more.
    expect(4)
    nest(4, on: scheduler)
    isReached.wait()
  }

  private func runDeep(_ other: any Scheduler) {
    expect(2 * Self.depth)
    let (hasArrived, mayReturn) = (Turnstile(), Turnstile())
    nest(Self.depth, on: other) {
      hasArrived.signal()
      mayReturn.wait()
    }
    hasArrived.wait()
    nest(Self.depth, on: scheduler) { mayReturn.signal() }
    isReached.wait()
    other.shutDown()
    expect(300)
    nest(300, on: scheduler, isPastLimit: true)
    isReached.wait()
  }

  /// Every thread is blocked up to the limit and a job waits; the last one asks for a thread for
  /// longer than a scheduler does by itself, then all go on.
  private func runPastLimit(_ refuse: @escaping @Sendable () -> Void) {
    let all = threadsUpToLimit
    expect(all + 1)
    let gate = Turnstile()
    let arrived = Atomic<Int>(0)
    for _ in 0..<all {
      scheduler.submit {
        self.scheduler.willBlock()
        // acquire and release: the last one has seen the others blocked.
        if arrived.add(1, ordering: .acquiringAndReleasing).newValue == all {
          refuse()
          self.scheduler.submit { self.note() }
          let end = ContinuousClock.now + .seconds(3)
          while ContinuousClock.now < end {
            if self.scheduler.compensatePastLimit() {
              print("a thread past the limit though the system refuses it")
              exit(1)
            }
            usleep(50_000)
          }
          for _ in 1..<all { gate.signal() }
        } else {
          gate.wait()
        }
        self.scheduler.didUnblock()
        self.note()
      }
    }
    isReached.wait()
  }

  /// The workers and those that may take the place of blocked ones.
  private var threadsUpToLimit: Int {
    let limit =
      switch scheduler {
      case is DispatchScheduler: 192
      case is ThreadPoolScheduler: 256
      #if OneTBB
        case is OneTBBScheduler: 256
      #endif
      default: Self.depth + 10
      }
    return scheduler.workerCount + limit
  }

  /// Every thread but one is blocked up to the limit; that one waits for an operation which has
  /// begun and whose task is resumed, and no thread is to be had.
  private func runInParts(resumedOutside: Bool, _ refuse: @escaping @Sendable () -> Void) {
    let others = threadsUpToLimit - 1
    expect(others + 1)
    let arrived = Atomic<Int>(0)
    let gate = Turnstile()
    let (isSuspended, mayResume, isStranded) = (Turnstile(), Turnstile(), Turnstile())
    let task = Locked<CheckedContinuation<Void, Never>?>(nil)
    let part = AsyncOperation {
      await withCheckedContinuation { continuation in
        task.withLock { $0 = continuation }
        isSuspended.signal()
      }
      self.note()
    }
    @Sendable func resume() { task.withLock { $0 }?.resume() }
    for number in 0..<others {
      scheduler.submit {
        self.scheduler.willBlock()
        arrived.add(1, ordering: .relaxed)  // relaxed: a count that is polled
        if number == 0, !resumedOutside {
          mayResume.wait()
          self.scheduler.didUnblock()
          resume()
          self.scheduler.willBlock()
          isStranded.signal()
        }
        gate.wait()
        self.scheduler.didUnblock()
        self.note()
      }
    }
    let queue = OperationQueue(scheduler: scheduler)
    queue.addOperation(part)
    isSuspended.wait()
    queue.addOperation {
      // relaxed: as above
      while arrived.load(ordering: .relaxed) < others { usleep(1000) }
      refuse()
      if !resumedOutside {
        mayResume.signal()
        isStranded.wait()
      }
      part.waitUntilFinished()
    }
    if resumedOutside {
      // Once the last thread waits, which blocks on a part that has begun.
      while queue.blockingCounters.blocked == 0 { usleep(1000) }
      resume()
    }
    queue.waitUntilAllOperationsAreFinished()
    for _ in 0..<others { gate.signal() }
    isReached.wait()
  }

  /// A job that blocks, announced, until `release` opens its gate.
  private func runAlone(_ release: (Turnstile) -> Void) {
    let (isBlocked, gate, hasEnded) = (Turnstile(), Turnstile(), Turnstile())
    scheduler.submit {
      self.scheduler.willBlock()
      isBlocked.signal()
      gate.wait()
      self.scheduler.didUnblock()
      hasEnded.signal()
    }
    isBlocked.wait()
    release(gate)
    hasEnded.wait()
  }

  /// Operations behind each other, a barrier, and somebody outside who waits.
  private func runOperations() {
    let queue = OperationQueue(scheduler: scheduler)
    var last: Operation?
    for _ in 0..<30 {
      let next = BlockOperation { self.note() }
      if let last { next.addDependency(last) }
      last = next
      queue.addOperation(next)
    }
    queue.addBarrierBlock { self.note() }
    queue.waitUntilAllOperationsAreFinished()
  }

  /// A job that submits another and blocks, announced, until it has ended, `levels` deep; the last
  /// one calls `innermost`.
  private func nest(
    _ levels: Int, on scheduler: any Scheduler, isPastLimit: Bool = false,
    _ innermost: @escaping @Sendable () -> Void = {}, done: @escaping @Sendable () -> Void = {}
  ) {
    scheduler.submit {
      if levels > 1 {
        let turnstile = Turnstile()
        self.nest(levels - 1, on: scheduler, isPastLimit: isPastLimit, innermost) {
          turnstile.signal()
        }
        scheduler.willBlock()
        // A wait asks again from time to time until it has its thread.
        while isPastLimit, !scheduler.compensatePastLimit() { usleep(1000) }
        turnstile.wait()
        scheduler.didUnblock()
      } else {
        innermost()
      }
      self.note()
      done()
    }
  }

  /// The main thread will wait for so many more runs; while none is under way.
  private func expect(_ more: Int) {
    goal.add(more, ordering: .relaxed)  // relaxed: the submissions that follow publish it
  }

  private func note() {
    // acquire and release: the last one has seen what the others did, and `runs` shows it.
    let number = count.add(1, ordering: .acquiringAndReleasing).newValue
    // relaxed: see `expect`.
    if number == goal.load(ordering: .relaxed) { isReached.signal() }
  }
}
