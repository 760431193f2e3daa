// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// Tries a scheduler on everything that the protocol and the operation contract ask of it.
///
/// ```swift
/// let report = SchedulerConformance.run { workers in MyScheduler(workers: workers) }
/// print(report)
/// exit(report.isPassing ? 0 : 1)
/// ```
public enum SchedulerConformance {
  /// What a run should know about the scheduler.
  public struct Options: Sendable {
    /// For the report, and to tell runs of one program apart.
    public var name = "scheduler"
    /// Numbers of workers to try; those that give a scheduler with the same `workerCount` are tried
    /// once.
    public var workers = [1, 2, 8]
    /// What the scheduler does not keep, and why.
    public var exceptions: [Exception] = []
    /// How long one check may take; then it is reported as hung.
    ///
    /// Most take milliseconds.
    public var timeLimit = Duration.seconds(30)
    /// Whether stderr gets a line when a check fails or hangs, and every 15 s without one the name
    /// of what runs.
    public var writesProgress = true
    /// How long nothing may be told.
    package var progressInterval = Duration.seconds(15)
    /// Gets the lines instead of stderr.
    package var takesProgress: (@Sendable (String) -> Void)?
    /// The program whose process a fault stops, which must come to `run` or `handleFaultChild` with
    /// the same name.
    public var faultProgram = FaultProgram()

    /// The defaults.
    public init() {}
  }

  /// A program that is started again to see it stop.
  public struct FaultProgram: Sendable {
    /// Its path; by default the running program.
    public var path = "/proc/self/exe"
    /// Its arguments, at most two.
    public var arguments: [String] = []

    /// The running program without arguments.
    public init() {}
    /// The program at `path` with at most two arguments.
    public init(path: String, arguments: [String]) {
      self.path = path
      self.arguments = arguments
    }
  }

  /// Runs every check with every number of workers and returns what came of them.
  ///
  /// The calling thread waits; each check runs on a thread of its own with fresh schedulers. A
  /// check that takes longer than the limit is reported as hung, its thread and schedulers are left
  /// behind, and the run goes on; after four of them the rest is reported as not run. So it is when
  /// jobs are lost or run twice, since nothing after that can be trusted. Once a check of an
  /// optional promise has failed or hung, which is not among the four, the others of it and those
  /// that rest on it are skipped. What stops the process, a fault where none should be, stops the
  /// run with it; the thread that crashed bears the beginning of the check's name. Checks of faults
  /// start the program again, see `handleFaultChild`. Takes seconds to half a minute; each wait in
  /// vain adds half of the limit, each hung check all of it. Any thread; one run at a time.
  public static func run(
    _ options: Options = Options(),
    makeScheduler: @escaping @Sendable (_ workers: Int) -> any Scheduler
  ) -> Report {
    handleFaultChild(options, makeScheduler: makeScheduler)
    return run(Check.all, options, makeScheduler: makeScheduler)
  }

  /// Where the program was started to be stopped by a fault, commits it; returns at once otherwise.
  ///
  /// `run` begins with it. A program that does something before `run`, which must not happen once
  /// per fault, calls this first.
  public static func handleFaultChild(
    _ options: Options = Options(),
    makeScheduler: @escaping @Sendable (_ workers: Int) -> any Scheduler
  ) {
    FaultChild.commitFault(options, makeScheduler)
  }

  /// After as many hung checks a run ends: their threads are left behind, and each costs its whole
  /// time limit.
  package static let hungLimit = 4

  /// The runs of these checks, each with the numbers of workers that it is for.
  package static func plan(
    _ checks: [Check], _ options: Options,
    makeScheduler: @escaping @Sendable (_ workers: Int) -> any Scheduler
  ) -> [(check: Check, workers: Int)] {
    let runner = CheckRunner(options: options, makeScheduler: makeScheduler)
    return checks.flatMap { check in runner.workers(for: check).map { (check, $0) } }
  }

  /// Runs these checks.
  package static func run(
    _ checks: [Check], _ options: Options,
    makeScheduler: @escaping @Sendable (_ workers: Int) -> any Scheduler
  ) -> Report {
    withoutOwnWarnings { runEach(checks, options, makeScheduler: makeScheduler) }
  }

  private static func runEach(
    _ checks: [Check], _ options: Options,
    makeScheduler: @escaping @Sendable (_ workers: Int) -> any Scheduler
  ) -> Report {
    let runner = CheckRunner(options: options, makeScheduler: makeScheduler)
    var results: [CheckResult] = []
    var reasonToStop: String?
    var hung = 0
    var unkept: Set<Promise> = []
    var foundationFails = false
    for check in checks {
      if foundationFails, !check.isFoundation, reasonToStop == nil {
        reasonToStop = "it rests on what failed above"
      }
      let counts = runner.workers(for: check)
      if counts.isEmpty {
        results.append(CheckResult(check: check, workers: 1, outcome: .skipped(.needsOneWorker)))
      }
      for workers in counts {
        var outcome = CheckResult.Outcome.notRun(reasonToStop ?? "")
        if reasonToStop == nil { outcome = runner.run(check, workers: workers, without: unkept) }
        let result = CheckResult(check: check, workers: workers, outcome: outcome)
        results.append(result)
        runner.progress?.end(result)
        if outcome.isFailure { unkept.formUnion(check.optionalPromises) }
        // An optional promise costs one hung check at most, since its other checks are skipped
        // then.
        if case .hung = outcome, check.optionalPromises.isEmpty { hung += 1 }
        if check.isFoundation, outcome.isFailure { foundationFails = true }
        if hung == hungLimit, reasonToStop == nil {
          reasonToStop = "\(hungLimit) checks hung, and each leaves threads behind"
        }
      }
    }
    return Report(name: options.name, exceptions: runner.options.exceptions, results: results)
  }
}
