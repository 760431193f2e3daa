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

/// Runs a small program of jobs on a scheduler while one call of the system fails, or it and all later ones.
///
/// Arguments: scheduler, workers, kind of call, error, number of the call, `once` or `forever`. Prints how many calls of the
/// kind there were. Exit code 0: every job ran as often as it should. 1: not so. 64: the arguments are wrong.
@main struct InjectedFaultsFixture {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 7, let workers = Int(arguments[2]), let kind = kinds[arguments[3]],
      let error = Int32(arguments[4]), let number = Int64(arguments[5])
    else {
      print("expected a scheduler, workers, a kind, an error, a number, and once or forever")
      exit(64)
    }
    injected_fault(kind, error, number, arguments[6] == "forever" ? 1 : 0)
    guard let scheduler = make(arguments[1], workers) else {
      print("no scheduler \(arguments[1])")
      exit(64)
    }
    let program = JobProgram(scheduler, canBlock: arguments[1] != "inline")
    program.run()
    scheduler.shutDown()
    print("calls \(injected_calls())")
    guard program.runs == program.expected else {
      print("\(program.runs) of \(program.expected) jobs ran")
      exit(1)
    }
    exit(0)
  }

  private static let kinds = [
    "thread": INJECTED_THREAD, "memory": INJECTED_MEMORY, "futex": INJECTED_FUTEX,
    "barrier": INJECTED_BARRIER,
  ]

  private static func make(_ name: String, _ workers: Int) -> (any Scheduler)? {
    switch name {
    case "work-stealing": WorkStealingScheduler(workers: workers)
    case "thread-pool": ThreadPoolScheduler(workers: workers)
    case "dispatch": DispatchScheduler(workers: workers)
    case "inline": InlineScheduler()
    default: nil
    }
  }
}

/// Jobs that come alone, in chains, from other jobs, and that block until others have run.
private final class JobProgram: Sendable {
  private let scheduler: any Scheduler
  private let canBlock: Bool
  private let count = Atomic<Int>(0)

  /// How often jobs run in all.
  var expected: Int { 400 + 5 * (1 + 60) + (canBlock ? 5 * 4 : 0) + 5 * 31 }
  // acquire: pairs with the release in `note`.
  var runs: Int { count.load(ordering: .acquiring) }

  init(_ scheduler: any Scheduler, canBlock: Bool) {
    self.scheduler = scheduler
    self.canBlock = canBlock
  }

  func run() {
    for _ in 0..<5 {
      let start = runs
      var chain = JobChain()
      for _ in 0..<80 { chain.append(ClosureJob.plain { self.note() }) }
      scheduler.submit(chain)
      scheduler.submit {
        self.note()
        for _ in 0..<60 { self.scheduler.submit { self.note() } }
      }
      runOperations()
      // Until the scheduler idles.
      while runs < start + 80 + 61 + 31 { usleep(20) }
      // Nobody submits anything now that would have the scheduler ask for a thread once more.
      if canBlock { nest(4) }
      while runs < start + 80 + 61 + 31 + (canBlock ? 4 : 0) { usleep(20) }
    }
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

  /// A job that submits another and blocks, announced, until it has ended, `levels` deep.
  private func nest(_ levels: Int, _ done: @escaping @Sendable () -> Void = {}) {
    scheduler.submit {
      if levels > 1 {
        let turnstile = Turnstile()
        self.nest(levels - 1) { turnstile.signal() }
        self.scheduler.willBlock()
        turnstile.wait()
        self.scheduler.didUnblock()
      }
      self.note()
      done()
    }
  }

  // release: pairs with the acquire in `runs`.
  private func note() { count.add(1, ordering: .releasing) }
}
