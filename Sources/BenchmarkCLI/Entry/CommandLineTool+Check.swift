// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Gate
internal import Glibc
internal import Harness
internal import Measurement
internal import Results
internal import Revisions

extension CommandLineTool {
  /// `bench check`: measures this build in pairs with an earlier one, and says red or green.
  func check(_ request: CheckRequest) throws(ToolFailure) -> ExitCode {
    let flags = Set<QualityFlag>.ofThisBuild
    if !request.run.dryRun { try BuildFlavor.refuse(unless: request.run.allowDebug, flags: flags) }
    let limits = try limits(request)
    // A mistake in the command line shows before minutes of building.
    let draft = try gatePlan(request, builds: [.own, .own], limits)
    guard !request.run.dryRun else {
      try console.out(ComparisonPlanText(plan: draft.plan).text)
      return .success
    }
    let start = try Self.start()
    let place = try place(of: start.id, request: request.run)
    var session = try session(start)
    session.suite = request.run.suite
    let machine = session.identity.machineID
    let noise = try noise(machine, at: start.time)
    let base = try gateBase(request, machine: machine)
    if !request.run.quiet { console.say("bench: the base is \(base.text)") }
    let interrupt = try Self.interrupt()
    let turn = try turn(interrupt, isQuiet: request.run.quiet)
    defer { turn.releaseWithFile() }
    let built = try revision(
      base.revision, option: request.baseOption, buildOptions: request.compare.buildOptions,
      isQuiet: request.run.quiet, interrupt: interrupt)
    var (plan, exclusions) = try gatePlan(request, builds: [built.program, .own], limits, noise)
    plan.seed = draft.plan.seed
    plan.notes += built.notes
    // What counting lacks shows before minutes of measuring, whose figures it would cost.
    let prepared = try prepareCounts(request, base, built.program, draft.plan, limits, interrupt)
    var record = ComparisonRecord(plan: plan)
    if !plan.groups.isEmpty {
      let fitted = try surveyed(
        plan, [built.program, .own], for: .check, request: request.run, interrupt: interrupt)
      exclusions += Self.lacking(plan, in: fitted, limits)
      plan = fitted
      do throws(Obstacle) { try Obstacle.check(plan) } catch { throw ToolFailure(error) }
      if !request.run.quiet {
        console.say("bench: seed \(plan.seed), \(ComparisonPlanText(plan: plan).summary)")
      }
      record = measure(plan, request: request.run, interrupt: interrupt)
    }
    let counts =
      record.wasInterrupted
      ? GateCounts(wasInterrupted: true)
      : gateCounts(prepared, request: request.run, limits: limits)
    let measured = MeasuredGate(
      record: record, base: base, limits: limits, exclusions: exclusions, counts: counts,
      noise: noise)
    return try finish(
      measured, request: request, session: session, place: record.isEmpty ? nil : place,
      flags: flags)
  }

  /// What a gate has measured, and what it left out.
  private struct MeasuredGate {
    let record: ComparisonRecord
    let base: GateBase
    let limits: Limits
    let exclusions: [GateEntry]
    let counts: GateCounts
    let noise: GateNoise

    var wasInterrupted: Bool { record.wasInterrupted || counts.wasInterrupted }
  }

  /// What the machine's own test says of it.
  private func noise(_ machine: MachineID, at moment: Timestamp) throws(ToolFailure) -> GateNoise {
    let folder = PackageFolder.results(lookingUpFrom: folders)
    let noise = GateNoise(
      standing: Certificate.standing(resultsFolder: folder, machine: machine, at: moment))
    try noise.check(place: Certificate.path(resultsFolder: folder, machine: machine))
    return noise
  }

  /// Keeps other gates of this user from measuring at the same time, which would disturb both.
  private func turn(
    _ interrupt: InterruptFlag, isQuiet: Bool
  ) throws(ToolFailure) -> FileLock {
    let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let path = "\(folder)/scheduler-bench-gate-\(getuid()).lock"
    do throws(RevisionFailure) {
      return try .wait(path, .alone, interrupt: interrupt) {
        guard !isQuiet else { return }
        console.say("bench: another gate measures on this machine; waiting for its end")
      }
    } catch {
      guard error != .interrupted else {
        throw ToolFailure(
          .interrupted, place: "check", finding: "interrupted while another gate measured",
          expectation: "its end", nextStep: "try again; nothing was measured")
      }
      throw ToolFailure(error, option: "check")
    }
  }

  /// What counting adds: always where the baseline has counts, else where the user asks for it.
  private func prepareCounts(
    _ request: CheckRequest, _ base: GateBase, _ program: MeasuredProgram, _ draft: ComparisonPlan,
    _ limits: Limits, _ interrupt: InterruptFlag
  ) throws(ToolFailure) -> PreparedCounts {
    let measurement = request.run.measurement
    let areNamed = !measurement.workloadNames.isEmpty || measurement.filter != nil
    let benchmarks = areNamed ? RunRequest.distinct(draft.groups.map(\.point.benchmark)) : []
    guard request.counts != false, request.run.graphPaths.isEmpty else {
      return PreparedCounts(known: GateCounts(notes: ["Counts are left out."]))
    }
    if let stored = base.counts {
      return try prepareCounts(
        request, against: .stored(stored), benchmarks: benchmarks,
        limits: limits, interrupt: interrupt)
    }
    guard request.counts == true else {
      return PreparedCounts(
        known: GateCounts(notes: ["Counts are left out; --counts on gates them as well."]))
    }
    return try prepareCounts(
      request, against: .program(program.executable), benchmarks: benchmarks, limits: limits,
      interrupt: interrupt)
  }

  /// The limits that the user names, else those of the package, else none.
  private func limits(_ request: CheckRequest) throws(ToolFailure) -> Limits {
    let own = PackageFolder.nearest(to: folders).map { "\($0)/\(Limits.fileName)" }
    guard let path = request.limits ?? own, request.limits != nil || File.exists(path) else {
      return .none
    }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path) } catch { throw ToolFailure(reading: error) }
    let parser = LimitsParser(
      path: path, workloads: suite.workloads.map(\.name), schedulers: suite.schedulers.map(\.name))
    do throws(LimitsError) { return try parser.parse(bytes) } catch {
      throw ToolFailure(
        .malformedInput, place: error.place, finding: error.finding,
        expectation: error.expectation, nextStep: error.nextStep)
    }
  }

  /// What the user measures against.
  private func gateBase(_ request: CheckRequest, machine: MachineID) throws(ToolFailure)
    -> GateBase
  {
    switch request.base {
    case .revision(let name):
      // What no commit is, the build of it says.
      let commit =
        name.hasPrefix("-")
        ? nil
        : Git(folder: PackageFolder.nearest(to: folders) ?? ".")
          .ask("rev-parse", "--verify", "--quiet", name + "^{commit}")
      return GateBase(revision: commit ?? name, name: name)
    case .usual:
      return try GateBase.usual(
        Git(folder: PackageFolder.nearest(to: folders) ?? "."),
        target: environment["GITHUB_BASE_REF"].flatMap { $0.isEmpty ? nil : $0 })
    case .baseline(let name):
      let shelf = BaselineShelf(
        store: BaselineStore(
          resultsFolder: PackageFolder.results(lookingUpFrom: folders), machine: machine),
        console: console)
      let baseline = try shelf.baseline(named: name, of: machine)
      return GateBase(
        revision: baseline.commit, name: "the baseline \(name)",
        counts: try shelf.counts(named: name, of: baseline))
    }
  }

  /// The comparison of two builds without what does not gate, and that.
  private func gatePlan(
    _ request: CheckRequest, builds: [MeasuredProgram], _ limits: Limits, _ noise: GateNoise? = nil
  ) throws(ToolFailure) -> (plan: ComparisonPlan, exclusions: [GateEntry]) {
    var plan = try comparisonPlan(request.compare, builds: builds)
    plan.familyAlpha = Gate().alpha
    if !plan.budgetIsNamed {
      plan.budget = request.run.measurement.isQuick ? .seconds(120) : .seconds(600)
      plan.budgetIsNamed = true
    }
    var exclusions: [GateEntry] = []
    plan.groups = plan.groups.compactMap { group in
      let subject = Self.subject(of: group)
      guard let ruling = limits.ruling(subject) else { return nil }
      if let line = ruling.offLine {
        exclusions.append(
          GateEntry(subject: subject, ruling: ruling, evidence: .excluded(.off(line: line))))
        return nil
      }
      if let reason = noise?.exclusion(of: subject.workload, scheduler: subject.scheduler) {
        exclusions.append(
          GateEntry(subject: subject, ruling: ruling, evidence: .excluded(reason)))
        return nil
      }
      var gated = group
      gated.tolerance = ruling.tolerance.map { .init(gating: $0) }
      gated.further = Self.further(limits, subject)
      return gated
    }
    return (plan, exclusions)
  }

  /// What a comparison of two builds judges first.
  private static func subject(of group: ComparisonGroup) -> GateSubject {
    let contestant = group.point.contestants[0]
    return GateSubject(
      workload: group.point.benchmark, params: group.point.rowParameters(of: contestant),
      scheduler: contestant.name, figure: FigureKey(group.point.primaryMetric, .p50))
  }

  /// What the limits ask of a contestant beside the metric that the comparison is about, so that
  /// pairs have it, and are taken until it is settled too.
  private static func further(_ limits: Limits, _ judged: GateSubject) -> [FurtherFigure] {
    limits.questions(of: judged).compactMap { figure, rule in
      let tolerance = GateMember.tolerance(rule)
      switch rule {
      case .limit(let limit): return FurtherFigure(figure, limit: limit, tolerance: tolerance)
      case .tolerance:
        return figure == judged.figure ? nil : FurtherFigure(figure, tolerance: tolerance)
      }
    }
  }

  /// What the plan has and the fitted one has not, since one of the builds lacks it.
  private static func lacking(
    _ plan: ComparisonPlan, in fitted: ComparisonPlan, _ limits: Limits
  ) -> [GateEntry] {
    let kept = fitted.groups.map(Self.subject)
    return plan.groups.map(Self.subject).filter { !kept.contains($0) }.compactMap { subject in
      limits.ruling(subject).map {
        GateEntry(subject: subject, ruling: $0, evidence: .excluded(.lacking))
      }
    }
  }

  private func finish(
    _ measured: MeasuredGate, request: CheckRequest, session: RunSession, place: ResultsPlace?,
    flags: Set<QualityFlag>
  ) throws(ToolFailure) -> ExitCode {
    let record = measured.record
    let writer = RowWriter(session, allocator: record.plan.allocator, buildFlags: flags)
    let analysis = PairedAnalysis(rows: writer.rows(record), roster: Roster(suite))
    let context = ReportContext(record, writer: writer, session: session)
    let entries = GateEntry.entries(
      rows: analysis.rows, limits: measured.limits,
      story: context.story,
      exclusion: { subject in
        let isUntouched = zip(record.plan.groups, record.groups).contains { group, reached in
          reached.pairs.isEmpty && reached.failure == nil
            && Self.subject(of: group).isSameContestant(as: subject)
        }
        return isUntouched && record.ranOutOfTime ? .noTime : nil
      })
    let result = Gate().judge(entries + measured.exclusions + measured.counts.entries)
    let report = GateReport(
      result: result, base: measured.base.text,
      certificate: CertificateText.line(measured.noise.standing),
      notes: notes(measured, entries: entries, context: context),
      wasInterrupted: measured.wasInterrupted)
    let bytes = CSV.encode(analysis.rows)
    let loss = try deliver(
      bytes, to: place, wasInterrupted: measured.wasInterrupted,
      environment: { () throws(EnvironmentError) in try session.environment(after: record) },
      show: { () throws(ToolFailure) in
        switch request.run.format {
        case .text: try console.out(report.text(style: style(request.run.color)))
        case .markdown: try console.out(report.markdown)
        case .csv: try console.out(String(decoding: bytes, as: UTF8.self))
        case .json: try console.out(report.json)
        }
      })
    if let loss { return loss }
    try tellWorkflow(report)
    if let place, !request.run.quiet { console.say("bench: figures in \(place.csv)") }
    if measured.wasInterrupted {
      console.say(
        "bench: interrupted after \(record.pairCount) complete pairs")
      return .interrupted
    }
    return ExitCode(
      result, requiresConclusion: request.requiresConclusion,
      failsOnImprovement: request.failsOnImprovement)
  }

  /// What to know about a gate beside its answer.
  private func notes(_ measured: MeasuredGate, entries: [GateEntry], context: ReportContext)
    -> [String]
  {
    let subjects = (entries + measured.exclusions + measured.counts.entries).map(\.subject)
    let unused = measured.limits.unused(by: subjects).map(\.line)
    let lines = unused.map(String.init).joined(separator: ", ")
    return [
      "A gate of equal code is red in at most \(UnitFormatter.percent(Gate().alpha)) of runs. "
        + "Against \(measured.base.text).",
      "Seed \(measured.record.plan.seed).",
    ]
      + (unused.isEmpty
        ? []
        : ["\(measured.limits.path ?? ""): nothing here is what line \(lines) is about."])
      + entries.compactMap(Self.withoutFigure)
      + [measured.noise.note].compactMap(\.self) + measured.counts.notes
      + context.notes.map { "note: \($0)" } + [context.disturbance].compactMap(\.self)
  }

  /// Pairs that do not count, since there is no ratio of 0.
  private static func withoutFigure(_ entry: GateEntry) -> String? {
    guard case .pairs(let evidence) = entry.evidence, evidence.withoutFigure > 0 else { return nil }
    let all = evidence.withoutFigure + evidence.logRatios.count
    return
      "\(entry.subject.text): \(evidence.withoutFigure) of \(all) pairs have no figure above 0 "
      + "on both sides and do not count."
  }

  /// Annotations and a summary, where GitHub Actions runs this.
  private func tellWorkflow(_ report: GateReport) throws(ToolFailure) {
    if environment["GITHUB_ACTIONS"] == "true" {
      for line in WorkflowCommands.annotations(report) { console.say(line) }
    }
    guard let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty else { return }
    do throws(FileError) {
      let before = try File.kind(path) == .absent ? [] : File.read(path)
      try AtomicFile.write(before + Array(report.markdown.utf8), to: path, overwrite: true)
    } catch { throw ToolFailure(writing: error) }
  }
}
