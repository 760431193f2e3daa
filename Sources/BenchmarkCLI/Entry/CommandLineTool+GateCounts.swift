// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Counting
internal import Gate
internal import Harness
internal import Measurement
internal import Results

/// What counting adds to a gate.
struct GateCounts {
  /// What was counted, for the gate to judge.
  var entries: [GateEntry] = []
  /// What to know about it, one sentence each.
  var notes: [String] = []
  var wasInterrupted = false
}

extension CommandLineTool {
  /// What the counts of a gate are compared with.
  enum CountsReference {
    /// What a baseline keeps.
    case stored(StoredCounts)
    /// Another build, counted beside this one.
    case program(String)
  }

  /// What a gate is to count, with all that this needs.
  struct PreparedCounts {
    /// What is known before anything is counted.
    fileprivate var known: GateCounts
    fileprivate var work: Work?

    init(known: GateCounts = GateCounts()) { self.known = known }

    fileprivate struct Work {
      let plan: CountingPlan
      let own: OperationCounter
      let reference: CountingRun.Reference
      /// What a baseline keeps, where that is the reference.
      var stored: StoredCounts?
    }
  }

  /// Makes ready what a gate counts besides times, so that nothing but the counting itself can fail
  /// after minutes of measuring.
  ///
  /// What cannot be counted is said.
  /// - Parameters:
  ///   - benchmarks: names of workloads; none for those that are counted by default.
  /// - Throws: 72 when the user asked for counts and there is no valgrind; 70, 73 or 74 when there
  ///   is no room for the copies that are counted.
  func prepareCounts(
    _ request: CheckRequest, against reference: CountsReference, benchmarks: [String],
    limits: Limits, interrupt: InterruptFlag
  ) throws(ToolFailure) -> PreparedCounts {
    let tools: CountingTools
    do throws(CountingTools.Missing) { tools = try .locate() } catch {
      let failure = ToolFailure(error)
      guard request.counts == nil else { throw failure }
      return PreparedCounts(known: GateCounts(notes: ["Counts are not judged: \(failure)."]))
    }
    var measurement = MeasurementRequest()
    measurement.workloadNames = benchmarks
    measurement.schedulers = request.run.measurement.schedulers
    measurement.axes = request.run.measurement.axes
    let whole = try countingPlan(measurement)
    var plan = whole
    var prepared = PreparedCounts()
    if case .stored(let stored) = reference {
      let keys = Set(stored.baseline.rows.map(\.key))
      plan = whole.cases(where: keys.contains)
      prepared.known.entries = whole.cases { !keys.contains($0) }.cases.compactMap {
        Self.entry($0.key, .instructions, limits, .excluded(.noBase))
      }
    }
    guard !plan.cases.isEmpty else { return prepared }
    let scratch = try Self.scratchFolder()
    let own = try counter(of: ExecutablePath.own, tools, scratch, interrupt)
    switch reference {
    case .stored(let stored):
      prepared.work = .init(
        plan: plan, own: own, reference: .stored(stored.baseline, required: true), stored: stored)
    case .program(let path):
      let base = try counter(of: path, named: "base", tools, scratch, interrupt)
      prepared.work = .init(
        plan: plan, own: own,
        reference: .program { assignment throws(MeasurementFailure) in
          try base.count(assignment)
        })
    }
    return prepared
  }

  /// Counts what was made ready; what fails is told with the case.
  func gateCounts(
    _ prepared: PreparedCounts, request: RunRequest, limits: Limits
  ) -> GateCounts {
    var counted = prepared.known
    guard let work = prepared.work else { return counted }
    let record = count(work.plan, work.own, reference: work.reference, request: request)
    counted.wasInterrupted = record.wasInterrupted
    if record.isForeign, let stored = work.stored {
      counted.notes.append(
        "Counts are not judged: \(stored.path) has those of "
          + stored.baseline.toolchains.joined(separator: " and ")
          + ", and this is \(record.toolchain ?? "another toolchain"); save the baseline again.")
      return counted
    }
    if let other = record.toolchainBefore, let own = record.toolchain, other != own {
      counted.notes.append(
        "Counts are not judged: the base was counted with \(other), this build with \(own); build "
          + "this program again with the `swift` in PATH.")
      return counted
    }
    counted.entries += record.cases.flatMap { Self.entries($0, limits) }
    if record.cases.contains(where: { $0.comparison?.verdict == .fewer }), work.stored != nil {
      counted.notes.append(
        "Some counts are lower than those of the base; `bench baseline save NAME --force` makes "
          + "them the ones to keep.")
    }
    return counted
  }

  /// Counts of this build for a baseline; nil, and says why, where there is no valgrind.
  ///
  /// - Throws: 1 when a case cannot be counted, 130 when the user interrupts.
  func baselineCounts(commit: String, isQuiet: Bool) throws(ToolFailure) -> [UInt8]? {
    let tools: CountingTools
    do throws(CountingTools.Missing) { tools = try .locate() } catch {
      console.say("bench: the baseline has no counts: \(ToolFailure(error))")
      return nil
    }
    try BuildFlavor.refuse(unless: false, flags: .ofThisBuild)
    let scratch = try Self.scratchFolder()
    let interrupt = try Self.interrupt()
    let plan = try countingPlan(MeasurementRequest())
    guard !plan.cases.isEmpty else { return nil }
    let own = try counter(of: ExecutablePath.own, tools, scratch, interrupt)
    var request = RunRequest()
    request.quiet = isQuiet
    let record = count(plan, own, reference: .none, isCareful: true, request: request)
    guard !record.wasInterrupted else {
      throw ToolFailure(
        .interrupted, place: "baseline save", finding: "interrupted; nothing is saved")
    }
    guard let rows = record.baselineRows(commit: commit) else {
      let failed = record.cases.first { $0.failure != nil }
      throw ToolFailure(
        .findings, place: failed.map { CountsText.label($0.planned) } ?? "baseline save",
        finding: "it cannot be counted: \(failed?.failure.map(String.init(describing:)) ?? "")",
        expectation: "counts of every case",
        nextStep: "mend it, or save the baseline without counts, --counts off")
    }
    var baseline = CountsBaseline()
    for row in rows { baseline.record(row) }
    return baseline.csv
  }

  private func countingPlan(_ request: MeasurementRequest) throws(ToolFailure) -> CountingPlan {
    do throws(PlanError) {
      return try CountingPlan(
        suite: suite, request: request, cpuCount: Int(shim_usable_cpus()))
    } catch { throw ToolFailure(error) }
  }

  private static func scratchFolder() throws(ToolFailure) -> ScratchFolder {
    do throws(FileError) { return try ScratchFolder() } catch { throw ToolFailure(writing: error) }
  }

  /// Counts the cases of a plan, with a progress line.
  private func count(
    _ plan: CountingPlan, _ counter: OperationCounter, reference: CountingRun.Reference,
    isCareful: Bool = false, request: RunRequest
  ) -> CountingRecord {
    let isWanted = ProgressLine.isWanted(
      request: request, environment: environment, isTerminal: console.talkIsTerminal)
    if !request.quiet { console.say("bench: counting \(plan.cases.count) cases under valgrind") }
    var progress = ProgressLine(isOn: isWanted, write: console.talk)
    let record = CountingRun(
      plan: plan, reference: reference, isCareful: isCareful,
      observe: { planned, done in
        progress.show("[\(done + 1)/\(plan.cases.count)] counting \(CountsText.label(planned))")
      },
      count: { assignment throws(MeasurementFailure) in try counter.count(assignment) }
    ).run()
    progress.clear()
    return record
  }

  // MARK: - Entries of a gate

  private static func entry(
    _ key: CountsKey, _ metric: Metric, _ limits: Limits, _ evidence: GateEntry.Evidence
  ) -> GateEntry? {
    let subject = GateSubject(
      workload: key.benchmark, params: key.params, scheduler: key.scheduler,
      figure: FigureKey(metric, .p50))
    return limits.ruling(subject).map {
      GateEntry(subject: subject, ruling: $0, evidence: evidence)
    }
  }

  /// The three counts of a case.
  private static func entries(_ counted: CountedCase, _ limits: Limits) -> [GateEntry] {
    let key = counted.planned.key
    guard let now = counted.counts?.counts else {
      let story = counted.failure.map(String.init(describing:)) ?? "it was not counted"
      return [entry(key, .instructions, limits, .failed(story))].compactMap(\.self)
    }
    let before = counted.before
    return [
      entry(
        key, .instructions, limits,
        .counts(base: before?.instructions, candidate: now.instructions)),
      entry(
        key, .readModifyWrites, limits,
        .counts(base: before?.readModifyWrites, candidate: now.readModifyWrites)),
      entry(
        key, .allocations, limits,
        .counts(base: before?.allocations, candidate: now.allocations)),
    ].compactMap(\.self)
  }
}
