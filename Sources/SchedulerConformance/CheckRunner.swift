// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// Runs single checks, each on a thread of its own with a time limit.
struct CheckRunner: Sendable {
  /// What was asked for, with the exceptions that the scheduler itself declares.
  let options: SchedulerConformance.Options
  let makeScheduler: @Sendable (Int) -> any Scheduler
  /// Nil where nobody wants to know.
  let progress: Progress?
  /// Numbers of workers that differ, as asked for, with what the scheduler makes of them.
  private let workers: [(asked: Int, actual: Int)]

  init(
    options: SchedulerConformance.Options, makeScheduler: @escaping @Sendable (Int) -> any Scheduler
  ) {
    self.makeScheduler = makeScheduler
    progress = Progress(options)
    var workers: [(asked: Int, actual: Int)] = []
    var options = options
    for asked in options.workers {
      let scheduler = makeScheduler(asked)
      if scheduler.priorityPolicy == .none { options.exceptLevels() }
      let actual = scheduler.workerCount
      if !workers.contains(where: { $0.actual == actual }) { workers.append((asked, actual)) }
    }
    self.workers = workers
    self.options = options
  }

  /// With how many workers the check runs here; empty when it wants a number that the options do
  /// not have.
  func workers(for check: Check) -> [Int] {
    switch check.workers {
    case .all: workers.map(\.asked)
    case .one: workers.filter { $0.actual == 1 }.map(\.asked)
    case .usual: (workers.first { $0.actual == 2 } ?? workers.last).map { [$0.asked] } ?? []
    }
  }

  /// Runs the check, or says why not; `unkept` are optional promises that were found not to be
  /// kept.
  func run(
    _ check: Check, workers: Int, without unkept: Set<SchedulerConformance.Promise>
  ) -> CheckResult.Outcome {
    if let reason = check.reasonToSkip(options.exceptions, without: unkept) {
      return .skipped(reason)
    }
    progress?.begin(check, workers: workers)
    guard check.message == nil else {
      return FaultChild.run(check, workers: workers, options, progress)
    }
    let timeLimit = check.timeLimit ?? options.timeLimit
    let makeScheduler = makeScheduler
    // A scheduler may have fewer workers than were asked for; it says how many.
    let actual = self.workers.first { $0.asked == workers }?.actual ?? workers
    let trial = Trial(workers: actual, timeLimit: timeLimit) { makeScheduler(workers) }
    let end = End()
    do throws(SystemThreadError) {
      try SystemThread.start(name: check.name) {
        do throws(SchedulerConformance.Failure) { try check.body(trial) } catch {
          end.thrown.withLock { $0 = error }
        }
        // release: pairs with the acquire below.
        end.hasCome.store(true, ordering: .releasing)
        end.parker.unpark()
      }.detach()
    } catch {
      return .failed([
        SchedulerConformance.Failure(
          expected: "a thread for the check", found: "\(error)", file: #filePath, line: #line)
      ])
    }
    let deadline = MonotonicTime.deadline(after: timeLimit)
    // acquire: pairs with the release above.
    while !end.hasCome.load(ordering: .acquiring) {
      let hasToken = end.parker.park(until: min(deadline, progress?.due ?? deadline))
      if !hasToken, MonotonicTime.nanoseconds() >= deadline {
        return .hung(timeLimit, waitingFor: trial.activity, failures: trial.failures)
      }
      progress?.remind(trial.activity)
    }
    let failures = trial.failures + (end.thrown.withLock { $0 }.map { [$0] } ?? [])
    return failures.isEmpty ? .passed : .failed(failures)
  }

  /// What the thread of a check tells the one that waits for it.
  private final class End: Sendable {
    let parker = Parker()
    let hasCome = Atomic<Bool>(false)
    let thrown = Locked<SchedulerConformance.Failure?>(nil)
  }
}

extension SchedulerConformance.Options {
  /// Takes a scheduler at its word that says that it ignores bands.
  fileprivate mutating func exceptLevels() {
    for promise in [SchedulerConformance.Promise.exactOrder, .bands]
    where !exceptions.contains(where: { $0.statement == .seam(promise) }) {
      exceptions.append(.seam(promise, "it says so itself: its priorityPolicy is none"))
    }
  }
}
