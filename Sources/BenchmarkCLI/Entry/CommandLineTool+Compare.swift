// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import CSystemShims
internal import Harness
internal import Measurement
internal import Results

extension CommandLineTool {
  /// `bench compare`: plans, measures in pairs, writes and shows.
  func compare(_ request: CompareRequest) throws(ToolFailure) -> ExitCode {
    guard !request.isOfBuilds else { return try compareBuilds(request) }
    let plan = try comparisonPlan(request)
    guard !request.run.dryRun else {
      try console.out(ComparisonPlanText(plan: plan).text)
      return .success
    }
    return try compare(plan, request: request.run)
  }

  /// Measures a comparison, whoever planned it, and writes and shows what came of it.
  func compare(_ plan: ComparisonPlan, request: RunRequest) throws(ToolFailure) -> ExitCode {
    let flags = Set<QualityFlag>.ofThisBuild
    try BuildFlavor.refuse(unless: request.allowDebug, flags: flags)
    do throws(Obstacle) { try Obstacle.check(plan) } catch { throw ToolFailure(error) }
    let start = try Self.start()
    let place = try place(of: start.id, request: request)
    var session = try session(start)
    session.suite = request.suite
    if !request.quiet {
      console.say(
        "bench: seed \(plan.seed), \(ComparisonPlanText(plan: plan).summary); repeat this order "
          + "with --seed \(plan.seed)")
      for note in plan.notes { console.say("bench: \(note.text)") }
    }
    let interrupt = try Self.interrupt()
    let record = measure(plan, request: request, interrupt: interrupt)
    return try finish(record, request: request, session: session, place: place, flags: flags)
  }

  /// The plan of a comparison: of contestants of this program, or of two builds.
  func comparisonPlan(
    _ request: CompareRequest, builds: [MeasuredProgram] = []
  ) throws(ToolFailure) -> ComparisonPlan {
    try request.run.checkReplayOptions()
    do throws(PlanError) {
      var comparison = request.comparison
      comparison.measurement = request.run.measurement
      comparison.measurement.graphs = try GraphSummary.read(request.run.graphPaths)
      var entropy = SystemRandomNumberGenerator()
      let seed = entropy.next(upperBound: UInt64(1_000_000))
      let planner = Planner(
        suite: suite, request: comparison.measurement, cpuCount: Int(shim_usable_cpus()))
      guard builds.count == 2 else {
        return try planner.comparison(comparison, freshSeed: seed)
      }
      return try planner.comparison(comparison, of: builds[0], and: builds[1], freshSeed: seed)
    } catch { throw ToolFailure(error) }
  }

  /// Takes the pairs of a plan, with a progress line.
  func measure(
    _ plan: ComparisonPlan, request: RunRequest, interrupt: InterruptFlag
  ) -> ComparisonRecord {
    let isWanted = ProgressLine.isWanted(
      request: request, environment: environment, isTerminal: console.talkIsTerminal)
    var progress = ProgressLine(isOn: isWanted, write: console.talk)
    let driver = ComparisonDriver(
      plan: plan, taker: { taker(plan, group: $0, request: request, interrupt: interrupt) },
      isInterrupted: { interrupt.isRaised },
      observe: { event in
        if case .failed(let group, let pair, let failure) = event {
          progress.clear()
          let planned = plan.groups[group]
          let point = planned.point
          let build = planned.build(of: failure.side).map { " of \($0)" } ?? ""
          let who = failure.side.map { ", \(point.contestants[$0].label)\(build)" } ?? ""
          let place = pair == 0 ? "calibration" : "pair \(pair)"
          console.say("bench: \(point.benchmark)\(who), \(place): \(failure.failure)")
        } else if let text = ProgressLine.text(for: event, plan: plan) {
          progress.show(text)
        }
      })
    let record = driver.run()
    progress.clear()
    return record
  }

  private func taker(
    _ plan: ComparisonPlan, group: Int, request: RunRequest, interrupt: InterruptFlag
  ) -> any PairTaking {
    plan.pairing == .processes
      ? ProcessPairs(
        plan: plan, group: group, interrupt: interrupt, changing: changes(for: request))
      : LivePairs(plan: plan, group: group, interrupt: interrupt)
  }

  private func finish(
    _ record: ComparisonRecord, request: RunRequest, session: RunSession, place: ResultsPlace?,
    flags: Set<QualityFlag>
  ) throws(ToolFailure) -> ExitCode {
    guard !record.isEmpty else {
      return try endedBefore("the first pair", record.wasInterrupted, least: "20 pairs")
    }
    let writer = RowWriter(session, allocator: record.plan.allocator, buildFlags: flags)
    let analysis = PairedAnalysis(rows: writer.rows(record), roster: Roster(suite))
    let bytes = CSV.encode(analysis.rows)
    let report = PairedReport(
      analysis,
      context: certified(ReportContext(record, writer: writer, session: session), analysis.rows))
    let loss = try deliver(
      bytes, to: place, wasInterrupted: record.wasInterrupted,
      environment: { () throws(EnvironmentError) in try session.environment(after: record) },
      show: { () throws(ToolFailure) in
        switch request.format {
        case .text: try console.out(report.text(style: style(request.color)))
        case .markdown: try console.out(report.markdown)
        case .csv: try console.out(String(decoding: bytes, as: UTF8.self))
        case .json: try console.out(report.json)
        }
      })
    if let loss { return loss }
    if !request.quiet {
      if record.wasInterrupted {
        console.say("bench: interrupted after \(record.pairCount) complete pairs")
      } else if record.ranOutOfTime {
        console.say(
          "bench: the budget ended before every comparison had its first look; raise it with "
            + "--budget, or leave it out")
      }
      if let place { console.say("bench: figures in \(place.csv)") }
    }
    if record.wasInterrupted { return .interrupted }
    return record.hasFailures ? .findings : .success
  }
}
