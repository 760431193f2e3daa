// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import CSystemShims
internal import Harness
internal import Machine
internal import Measurement
internal import Results

extension CommandLineTool {
  /// `bench run`: plans, measures, writes and shows.
  func runBenchmarks(_ request: RunRequest) throws(ToolFailure) -> ExitCode {
    let plan = try plan(request)
    guard !request.dryRun else {
      try console.out(PlanText(plan: plan).text)
      return .success
    }
    let flags = Set<QualityFlag>.ofThisBuild
    try BuildFlavor.refuse(unless: request.allowDebug, flags: flags)
    do throws(Obstacle) { try Obstacle.check(plan) } catch { throw ToolFailure(error) }
    let start = try Self.start()
    let place = try place(of: start.id, request: request)
    var session = try session(start)
    session.suite = request.suite
    if !request.quiet {
      console.say(
        "bench: seed \(plan.seed), \(RunText.rounds(plan.rounds)), "
          + "\(RunText.processes(plan.childCount)); "
          + "repeat this order with --seed \(plan.seed)")
      for line in plan.factLines + plan.notes.map(\.text) { console.say("bench: \(line)") }
    }
    let interrupt = try Self.interrupt()
    let record = measure(
      plan, request: request, runner: ChildRunner(interrupt: interrupt),
      isInterrupted: { interrupt.isRaised })
    return try finish(record, request: request, session: session, place: place, flags: flags)
  }

  /// What Ctrl-C raises from now on.
  static func interrupt() throws(ToolFailure) -> InterruptFlag {
    guard let interrupt = InterruptFlag.install() else {
      throw ToolFailure(
        .internalFault, place: "signals", finding: "SIGINT, SIGTERM and SIGHUP cannot be caught",
        expectation: "two free file descriptors", nextStep: "raise the limit with `ulimit -n 256`")
    }
    return interrupt
  }

  /// The moment and the name of the run.
  static func start() throws(ToolFailure) -> RunStart {
    do throws(ClockError) { return try .now() } catch { throw ToolFailure(error) }
  }

  /// Where the program and the user are, the likelier place of the measured package first.
  var folders: [String] { [ExecutablePath.folder, environment["PWD"]].compactMap(\.self) }

  /// Where the files go, after making sure that they can; nil when the figures go to standard
  /// output instead.
  func place(of run: RunID, request: RunRequest) throws(ToolFailure) -> ResultsPlace? {
    guard !request.outputIsStandard else { return nil }
    let place =
      request.output.map { ResultsPlace(output: $0, overwrites: request.force) }
      ?? ResultsPlace(
        resultsFolder: PackageFolder.results(lookingUpFrom: folders), run: run)
    try place.prepare(makesFolder: request.output == nil, keepsSamples: request.keepsSamples)
    return place
  }

  /// The run's identity; measures what the machine's primitives cost.
  func session(_ start: RunStart) throws(ToolFailure) -> RunSession {
    do throws(EnvironmentError) {
      return try RunSession(start: start, version: Self.version, folders: folders)
    } catch { throw ToolFailure(error) }
  }

  private func plan(_ request: RunRequest) throws(ToolFailure) -> MeasurementPlan {
    try request.checkReplayOptions()
    do throws(PlanError) {
      var measurement = request.measurement
      measurement.graphs = try GraphSummary.read(request.graphPaths)
      var entropy = SystemRandomNumberGenerator()
      // Small enough to be typed.
      return try Planner(suite: suite, request: measurement, cpuCount: Int(shim_usable_cpus()))
        .plan(freshSeed: entropy.next(upperBound: UInt64(1_000_000)))
    } catch { throw ToolFailure(error) }
  }

  /// Runs the children with a progress line; tests put in a runner of their own.
  func measure(
    _ plan: MeasurementPlan, request: RunRequest, runner: any ChildMeasuring,
    isInterrupted: @escaping () -> Bool
  ) -> RunRecord {
    let isWanted = ProgressLine.isWanted(
      request: request, environment: environment, isTerminal: console.talkIsTerminal)
    var progress = ProgressLine(isOn: isWanted, write: console.talk)
    let orchestrator = Orchestrator(
      plan: plan, runner: runner, isInterrupted: isInterrupted,
      observe: { event in
        let (group, contestant): (Int, Int)
        let finding: String
        switch event {
        case .failed(let ofGroup, let failed, let round, let failure):
          (group, contestant, finding) = (ofGroup, failed, "round \(round + 1): \(failure)")
        case .allocationsUncounted(let ofGroup, let failed, let failure):
          (group, contestant, finding) = (ofGroup, failed, "allocations: \(failure)")
        case .starting, .countingAllocations:
          if let text = ProgressLine.text(for: event, plan: plan) { progress.show(text) }
          return
        }
        progress.clear()
        let planned = plan.groups[group]
        console.say(
          "bench: \(planned.benchmark), \(planned.contestants[contestant].label), \(finding)")
      })
    let record = orchestrator.run()
    progress.clear()
    return record
  }

  /// Writes and shows what was measured, and tells how the run ended.
  private func finish(
    _ record: RunRecord, request: RunRequest, session: RunSession, place: ResultsPlace?,
    flags: Set<QualityFlag>
  ) throws(ToolFailure) -> ExitCode {
    guard !record.processes.allSatisfy({ $0.allSatisfy(\.isEmpty) }) else {
      return try endedBefore("the first process", record.wasInterrupted, least: "one round")
    }
    let writer = RowWriter(session, allocator: record.plan.allocator, buildFlags: flags)
    let analysis = Analysis(rows: writer.rows(record), roster: Roster(suite))
    let bytes = CSV.encode(analysis.rows)
    var context = certified(ReportContext(record, writer: writer, session: session), analysis.rows)
    context.threadSpeedups = threadSpeedups(analysis.scaling, plan: record.plan)
    let report = Report(analysis, context: context)
    let loss = try deliver(
      bytes, samples: request.keepsSamples ? writer.samples(record) : nil, to: place,
      wasInterrupted: record.wasInterrupted,
      environment: { () throws(EnvironmentError) in try session.environment(after: record) },
      show: { () throws(ToolFailure) in
        try show(report, rows: analysis.rows, csv: bytes, request: request)
      })
    if let loss { return loss }
    if !request.quiet {
      sayEnd(of: record, place: place, keepsSamples: request.keepsSamples)
    }
    if record.wasInterrupted { return .interrupted }
    return record.hasFailures ? .findings : .success
  }

  /// What the machine gives to as many threads as a scheduler had workers, now that all is quiet.
  ///
  /// Of more threads than CPUs it would say nothing of the machine.
  private func threadSpeedups(
    _ scaling: [ScalingResult], plan: MeasurementPlan
  ) -> [Int: Double] {
    let counts = Set(scaling.flatMap { [$0.base] + $0.points.map(\.workers) })
    let measurable = counts.filter { $0 > 1 && $0 <= plan.cpuCount }
    return Dictionary(
      measurable.compactMap { count in MachineFigures.speedup(threads: count).map { (count, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// What is said of a run that ended without a figure.
  ///
  /// - Throws: when it was not interrupted: then its time was too short.
  func endedBefore(
    _ first: String, _ wasInterrupted: Bool, least: String
  ) throws(ToolFailure) -> ExitCode {
    guard wasInterrupted else {
      throw .usage(
        "--budget", "it ended before \(first)", expected: "time for \(least) at least",
        next: "see `--dry-run` for what that takes")
    }
    console.say("bench: interrupted before \(first); nothing is written")
    return .interrupted
  }

  /// Writes what was measured, and shows it; the exit code when it can only be written, nil when
  /// all went well.
  ///
  /// - Parameter samples: every iteration; nil where they are not wanted.
  /// - Throws: when it cannot be written.
  func deliver(
    _ csv: [UInt8], samples: [UInt8]? = nil, to place: ResultsPlace?, wasInterrupted: Bool,
    environment: () throws(EnvironmentError) -> EnvironmentRecord,
    show: () throws(ToolFailure) -> Void
  ) throws(ToolFailure) -> ExitCode? {
    // Figures that cannot be written are shown all the same: they took a minute to get.
    var unwritten: ToolFailure?
    do throws(ToolFailure) {
      let record: EnvironmentRecord
      do throws(EnvironmentError) { record = try environment() } catch { throw ToolFailure(error) }
      try place?.write(rows: csv, environment: record.csv(), samples: samples)
    } catch { unwritten = error }
    do throws(ToolFailure) { try show() } catch {
      // Whoever ended the run may have closed the terminal as well; what is written is the answer
      // then.
      console.say("bench: \(unwritten ?? error)")
      if let place, unwritten == nil {
        console.say("bench: figures in \(place.csv)")
      }
      return wasInterrupted && place != nil && unwritten == nil
        ? .interrupted : (unwritten ?? error).code
    }
    if let unwritten { throw unwritten }
    return nil
  }

  private func show(_ report: Report, rows: [ResultRow], csv: [UInt8], request: RunRequest)
    throws(ToolFailure)
  {
    switch request.format {
    case .text: try console.out(report.text(style: style(request.color)))
    case .markdown: try console.out(report.markdown)
    case .csv: try console.out(String(decoding: csv, as: UTF8.self))
    case .json: try console.out(JSONValue.rows(rows).list)
    }
  }

  private func sayEnd(of record: RunRecord, place: ResultsPlace?, keepsSamples: Bool) {
    if record.wasInterrupted {
      console.say("bench: interrupted after \(RunText.complete(record.completeRounds))")
    } else if record.roundsLeftOut > 0 {
      let rounds = record.plan.rounds
      console.say(
        "bench: the budget has no time for \(record.roundsLeftOut) of \(RunText.rounds(rounds)); "
          + "raise it with --budget, or insist with --processes \(rounds)")
    }
    let missing = record.contestantsWithoutFigure
    if !record.wasInterrupted, missing > 0 {
      console.say(
        "bench: the budget ended in the first round; \(missing) of \(record.contestants) "
          + "contestants were not measured")
    }
    if let place {
      let samples = keepsSamples ? ", every iteration in \(place.samples)" : ""
      console.say("bench: figures in \(place.csv)\(samples)")
    }
  }
}
