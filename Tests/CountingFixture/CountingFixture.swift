// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import DispatchBackend
internal import Glibc
internal import Harness
internal import Operations
internal import Scheduling
internal import ThreadPoolBackend
internal import WorkStealingBackend

/// A chain of operations whose bodies do as much more as its axes say.
struct LadenChain: Workload {
  let operationsPerIteration: Int
  let allocations: Int
  let turns: Int

  init(_ parameters: Parameters) {
    operationsPerIteration = parameters["n"]
    allocations = parameters["allocations"]
    turns = parameters["turns"]
  }

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (allocations, turns) = (allocations, turns)
    recorder.begin()
    let queue = OperationQueue(scheduler: scheduler)
    var operations: [Operation] = []
    for _ in 0..<operationsPerIteration {
      let operation = BlockOperation {
        for _ in 0..<allocations { allocateOnce() }
        for _ in 0..<turns { shim_keep_order() }
      }
      if let last = operations.last { operation.addDependency(last) }
      operations.append(operation)
    }
    recorder.built()
    queue.addOperations(operations, waitUntilFinished: true)
    recorder.ran()
    operations = []
    recorder.released()
  }
}

/// Operations one at a time, each added while every worker sleeps: what wakes whom is the same in
/// every run.
struct SleepersCalled: Workload {
  let operationsPerIteration: Int
  /// Calls of a worker for each operation beside its own.
  let moreWakeUps: Int

  init(_ parameters: Parameters) {
    operationsPerIteration = parameters["n"]
    moreWakeUps = parameters["wake-ups"]
  }

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    recorder.begin()
    let queue = OperationQueue(scheduler: scheduler)
    recorder.built()
    for _ in 0..<operationsPerIteration {
      for _ in 0...moreWakeUps {
        awaitSleep(of: scheduler)
        queue.addOperations([BlockOperation {}], waitUntilFinished: true)
      }
    }
    recorder.ran()
    recorder.released()
  }

  /// Looks until every worker sleeps: one more went to sleep than were woken, for each of them.
  private func awaitSleep(of scheduler: any Scheduler) {
    while true {
      let counters = scheduler.counters
      guard let parks = counters.parks, let wakeUps = counters.wakeUps else {
        fatalError("SleepersCalled: the scheduler does not say when workers sleep")
      }
      if parks - wakeUps == scheduler.workerCount { return }
      sched_yield()
    }
  }
}

/// Calls malloc once, where no optimiser can take it out.
func allocateOnce() {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: 24, alignment: 8)
  shim_black_hole(UInt(bitPattern: memory))
  unsafe memory.deallocate()
}

private func axis(_ name: String, least: Int) -> Axis {
  Axis(name: name, summary: name, smoke: least, quick: least, real: least, legal: 0...1_000_000)
}

let fixtureSuite = Suite(
  schedulers: [
    SchedulerEntry(name: "dispatch", summary: "dispatch") { DispatchScheduler(workers: $0) },
    SchedulerEntry(name: "thread-pool", summary: "pool") { ThreadPoolScheduler(workers: $0) },
    SchedulerEntry(name: "work-stealing", summary: "steal") { WorkStealingScheduler(workers: $0) },
    SchedulerEntry(name: "inline", summary: "inline", fixedWorkers: 1) { _ in InlineScheduler() },
  ],
  workloads: [
    WorkloadDescription(
      name: "laden", summary: "a chain", notShown: "anything", tags: [],
      axes: [axis("n", least: 300), axis("allocations", least: 0), axis("turns", least: 0)]
    ) { parameters throws(WorkloadError) in LadenChain(parameters) },
    WorkloadDescription(
      name: "sleepers", summary: "one at a time", notShown: "anything", tags: [],
      axes: [axis("n", least: 100), axis("wake-ups", least: 0)]
    ) { parameters throws(WorkloadError) in SleepersCalled(parameters) },
    WorkloadDescription(
      name: "own-allocator", summary: "a chain", notShown: "anything", tags: [],
      axes: [axis("n", least: 300), axis("allocations", least: 0), axis("turns", least: 0)]
    ) { parameters throws(WorkloadError) in
      // SAFETY: the library stays; its handle is not needed.
      unsafe _ = dlopen("libtbbmalloc.so.2", RTLD_NOW)
      return LadenChain(parameters)
    },
    WorkloadDescription(
      name: "endless", summary: "never ends", notShown: "anything", tags: [], axes: []
    ) { parameters throws(WorkloadError) in
      Endless()
    },
  ])

/// Says that it has begun, by a file beside the program, and never ends.
struct Endless: Workload {
  let operationsPerIteration = 1

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    // SAFETY: the text lives through the call.
    let file = unsafe open(
      CommandLine.arguments[0] + ".begun", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    close(file)
    while true { pause() }
  }
}

/// The program in whose children the tests count.
@main enum CountingFixture {
  static func main() {
    guard CommandLine.arguments.dropFirst().first == measureChildVerb else {
      fatalError("usage: CountingFixture is for the children of tests")
    }
    exit(
      runMeasureChild(arguments: Array(CommandLine.arguments.dropFirst(2)), suite: fixtureSuite))
  }
}
