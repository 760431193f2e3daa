// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
package import Harness
internal import Results
internal import TaskGraphFiles

extension ChildRunner: ChildMeasuring {
  /// Runs one child with the allocator its assignment names.
  package func measure(_ assignment: Assignment, deadline: Duration) -> MeasurementOutcome {
    run(assignment, deadline: deadline, allocator: assignment.allocator)
  }
}

extension CommandLineTool {
  /// `bench run`: plans, measures, writes and shows.
  func runBenchmarks(_ request: RunRequest) throws(ToolFailure) -> ExitCode {
    let plan = try plan(request)
    guard !request.dryRun else {
      try console.out(PlanText(plan: plan).text)
      return .success
    }
    let flags = BuildFlavor.flags
    try BuildFlavor.refuse(unless: request.allowDebug, flags: flags)
    try Self.check(request.allocator)
    try Self.checkSystem(for: plan)
    let session = try RunSession(request: request, environment: environment)
    if !request.quiet {
      console.say(
        "bench: seed \(plan.seed), \(RunText.rounds(plan.rounds)), "
          + "\(RunText.processes(plan.childCount)); "
          + "repeat this order with --seed \(plan.seed)")
      for line in plan.facts + plan.notes { console.say("bench: \(line)") }
    }
    guard let interrupt = InterruptFlag.install() else {
      throw ToolFailure(
        .internalFault, place: "signals", finding: "SIGINT, SIGTERM and SIGHUP cannot be caught",
        expectation: "two free file descriptors", nextStep: "raise the limit with `ulimit -n 256`")
    }
    let record = measure(
      plan, request: request, runner: ChildRunner(interrupt: interrupt),
      isInterrupted: { interrupt.isRaised })
    return try finish(record, request: request, session: session, flags: flags)
  }

  /// Refuses an allocator that no child could have, instead of failing in every one of them.
  private static func check(_ allocator: Allocator) throws(ToolFailure) {
    var finding = AllocatorSupport.refusal(of: allocator)
    if finding == nil, allocator == .jemalloc, !AllocatorSupport.isLinkedIn,
      case .failure(let error) = JemallocLibrary.locate()
    {
      finding = error.message
    }
    if let finding { throw .usage("--allocator \(allocator.rawValue)", finding) }
  }

  /// Refuses a system that has not what every child will need, instead of failing, or hanging, in
  /// each of them.
  private static func checkSystem(for plan: MeasurementPlan) throws(ToolFailure) {
    let workers = plan.groups.flatMap(\.contestants).map(\.workers).max() ?? 1
    guard let shortage = Shortage.find(workers: workers) else { return }
    throw ToolFailure(
      .internalFault, place: "this system", finding: shortage.finding,
      expectation: shortage.expectation, nextStep: shortage.remedy)
  }

  private func plan(_ request: RunRequest) throws(ToolFailure) -> MeasurementPlan {
    var graphs: [GraphSummary] = []
    for path in request.graphs { graphs.append(try Self.summary(ofGraph: path)) }
    let planner = Planner(
      suite: suite, request: request, cpuCount: Int(shim_usable_cpus()),
      graphs: GraphSummary.distinct(graphs))
    var entropy = SystemRandomNumberGenerator()
    // Small enough to be typed.
    return try planner.plan(freshSeed: entropy.next(upperBound: UInt64(1_000_000)))
  }

  private static func summary(ofGraph path: String) throws(ToolFailure) -> GraphSummary {
    let kept = path == "-" ? try keptInput() : nil
    do throws(TaskGraphError) {
      let name = try kept == nil ? TaskGraphFile.file(at: path) : "stdin"
      let graph =
        if let kept {
          try TaskGraphFile.load(piped: kept, name: name)
        } else {
          try TaskGraphFile.load(path: name)
        }
      var summary = GraphSummary(
        path: name, taskCount: graph.tasks.count, edgeCount: graph.edgeCount,
        totalWorkNanoseconds: graph.totalWorkNanoseconds,
        criticalPathNanoseconds: graph.criticalPathNanoseconds, fingerprint: graph.fingerprint,
        notes: graph.notes)
      if let kept { summary.file = kept }
      return summary
    } catch {
      throw ToolFailure(.malformedInput, place: "--graph", finding: "\(error)")
    }
  }

  /// Keeps standard input in memory for the children and returns the path by which they find it.
  ///
  /// It lives as long as this process.
  private static func keptInput() throws(ToolFailure) -> String {
    let file = shim_keep_input(0, UInt64(Int32.max))
    guard file >= 0 else {
      throw ToolFailure(
        .malformedInput, place: "--graph -",
        finding: "standard input cannot be read: \(errorText(-file))",
        expectation: "a graph of less than 2 GiB", nextStep: "name a file")
    }
    return "/proc/\(getpid())/fd/\(file)"
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
        if case .failed(let group, let contestant, let round, let failure) = event {
          progress.clear()
          let planned = plan.groups[group]
          console.say(
            "bench: \(planned.benchmark), \(planned.contestants[contestant].label), "
              + "round \(round + 1): \(failure)")
        } else if let text = ProgressLine.text(for: event, plan: plan) {
          progress.show(text)
        }
      })
    let record = orchestrator.run()
    progress.clear()
    return record
  }

  /// Writes and shows what was measured, and tells how the run ended.
  private func finish(
    _ record: RunRecord, request: RunRequest, session: RunSession, flags: Set<QualityFlag>
  ) throws(ToolFailure) -> ExitCode {
    let results = GroupResult.all(record)
    let isEmpty = record.processes.allSatisfy { $0.allSatisfy(\.isEmpty) }
    guard !isEmpty else {
      guard record.wasInterrupted else {
        throw .usage(
          "--budget", "it ended before the first process", expected: "time for one round at least",
          next: "see `--dry-run` for what that takes")
      }
      console.say("bench: interrupted before the first figure; nothing is written")
      return .interrupted
    }
    let rows = RowWriter(
      run: session.identity, allocator: request.allocator.rawValue, buildFlags: flags,
      cpuCount: Int(shim_usable_cpus())
    ).rows(results)
    let bytes = CSV.encode(rows)
    // Figures that cannot be written are shown all the same: they took a minute to get.
    var unwritten: ToolFailure?
    do throws(ToolFailure) {
      try session.place?.write(rows: bytes, environment: session.environment(after: record).csv())
    } catch { unwritten = error }
    let report = Report(
      results: results, rounds: record.completeRounds, seed: record.plan.seed,
      notes: record.plan.notes, disturbance: session.disturbance)
    do throws(ToolFailure) {
      try show(report, rows: rows, csv: bytes, request: request)
    } catch {
      // Whoever ended the run may have closed the terminal as well; what is written is the answer
      // then.
      console.say("bench: \(unwritten ?? error)")
      if let place = session.place, unwritten == nil {
        console.say("bench: figures in \(place.csv)")
      }
      return record.wasInterrupted && session.place != nil && unwritten == nil
        ? .interrupted : (unwritten ?? error).code
    }
    if let unwritten { throw unwritten }
    if !request.quiet { sayEnd(of: record, place: session.place) }
    if record.wasInterrupted { return .interrupted }
    return record.hasFailures ? .findings : .success
  }

  private func show(_ report: Report, rows: [ResultRow], csv: [UInt8], request: RunRequest)
    throws(ToolFailure)
  {
    switch request.format {
    case .text: try console.out(report.text(style: style(request.color)))
    case .markdown: try console.out(report.markdown)
    case .csv: try console.out(String(decoding: csv, as: UTF8.self))
    case .json: try console.out(JSONText.rows(rows).document)
    }
  }

  private func sayEnd(of record: RunRecord, place: ResultsPlace?) {
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
    if let place { console.say("bench: figures in \(place.csv)") }
  }
}
