// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import CSystemShims
internal import Counting
internal import Harness
internal import Measurement
internal import Results

extension CommandLineTool {
  /// `bench counts`: counts instructions, atomics and allocations, and compares them.
  func counts(_ request: CountsRequest) throws(ToolFailure) -> ExitCode {
    let plan: CountingPlan
    do throws(PlanError) {
      plan = try CountingPlan(
        suite: suite, request: request.measurement, cpuCount: Int(shim_usable_cpus()))
    } catch { throw ToolFailure(error) }
    guard !plan.cases.isEmpty else {
      throw .usage(
        "counts", "this program has none of the workloads that are counted by default",
        expected: "names of workloads", next: "`bench list` shows them")
    }
    let flags = Set<QualityFlag>.ofThisBuild
    try BuildFlavor.refuse(unless: request.allowDebug, flags: flags)
    if let output = request.output {
      do throws(FileError) { try AtomicFile.rehearse(output, overwrite: request.force) } catch {
        throw ToolFailure(writing: error)
      }
    }
    let path =
      request.baseline ?? PackageFolder.results(lookingUpFrom: folders) + "/baselines/counts.csv"
    let baseline = try request.records ? CountsBaseline() : storedBaseline(path, request)
    let tools: CountingTools
    do throws(CountingTools.Missing) { tools = try .locate() } catch { throw ToolFailure(error) }
    let session = try session(Self.start())
    let scratch: ScratchFolder
    do throws(FileError) { scratch = try ScratchFolder() } catch {
      throw ToolFailure(writing: error)
    }
    let interrupt = try Self.interrupt()
    let base = try request.base.map { revision throws(ToolFailure) in
      try self.revision(
        revision, option: OptionName.base.flag, buildOptions: request.buildOptions,
        isQuiet: request.quiet, interrupt: interrupt)
    }
    for note in base?.notes ?? [] { console.say("bench: \(note.text)") }
    let counter = try counter(of: ExecutablePath.own, tools, scratch, interrupt)
    var reference = CountingRun.Reference.none
    if let base {
      let earlier = try self.counter(
        of: base.program.executable, named: "base", tools, scratch, interrupt)
      reference = .program { assignment throws(MeasurementFailure) in
        try earlier.count(assignment)
      }
    } else if !request.records {
      reference = .stored(baseline, required: request.isWhole || request.baseline != nil)
    }
    let record = run(plan, request, reference: reference) {
      assignment throws(MeasurementFailure) in try counter.count(assignment)
    }
    guard !record.isForeign else { throw Self.foreign(record, baseline, path) }
    let before = base.map { Self.name(of: $0.program) } ?? path
    return try finish(
      record, of: plan, request, session: session, path: path, before: before, flags: flags)
  }

  /// A build in words: what was typed, and the commit that it means.
  private static func name(of program: MeasuredProgram) -> String {
    let commit = program.code?.commit.map { " (commit \($0.prefix(12)))" } ?? ""
    return program.name + commit
  }

  /// What a file has to compare with; nothing where there is no file and the user named none.
  private func storedBaseline(
    _ path: String, _ request: CountsRequest
  ) throws(ToolFailure) -> CountsBaseline {
    guard File.exists(path) || (request.baseline != nil && !request.records) else {
      return CountsBaseline()
    }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path) } catch { throw ToolFailure(reading: error) }
    do throws(CSVError) { return try CountsBaseline(csv: bytes, path: path) } catch {
      throw ToolFailure(error.finding)
    }
  }

  /// A counter of the children of an executable.
  func counter(
    of executable: String?, named name: String = "bench", _ tools: CountingTools,
    _ scratch: ScratchFolder, _ interrupt: InterruptFlag
  ) throws(ToolFailure) -> OperationCounter {
    let copy = scratch.file(name)
    let complaint = executable.map { CountingTools.strip($0, to: copy) } ?? "its path is not known"
    if let complaint {
      throw ToolFailure(
        .internalFault, place: executable ?? ExecutablePath.running,
        finding: "it cannot be copied without its debug information: \(complaint)",
        expectation: "the executable that was started, and room in \(scratch.path)",
        nextStep: "free some space; TMPDIR names another folder")
    }
    return OperationCounter(
      tools: tools, executable: copy, scratch: scratch, interrupt: interrupt)
  }

  private func run(
    _ plan: CountingPlan, _ request: CountsRequest, reference: CountingRun.Reference,
    count: @escaping CountingRun.Count
  ) -> CountingRecord {
    let isOn =
      console.talkIsTerminal && request.showsProgress && !request.quiet
      && environment["TERM"] != "dumb"
    let progress = Progress(ProgressLine(isOn: isOn, write: console.talk))
    let record = CountingRun(
      plan: plan, reference: reference, repetitions: request.repetitions,
      isCareful: request.records,
      observe: { planned, done in
        progress.line.show(
          "[\(done + 1)/\(plan.cases.count)] counting \(CountsText.label(planned))")
      }, count: count
    ).run()
    progress.line.clear()
    return record
  }

  /// A progress line that a closure can change.
  private final class Progress {
    var line: ProgressLine
    init(_ line: ProgressLine) { self.line = line }
  }

  /// Writes, shows and judges what was counted.
  private func finish(
    _ record: CountingRecord, of plan: CountingPlan, _ request: CountsRequest, session: RunSession,
    path: String, before: String, flags: Set<QualityFlag>
  ) throws(ToolFailure) -> ExitCode {
    guard !record.cases.isEmpty else {
      console.say("bench: interrupted before the first count; nothing is written")
      return .interrupted
    }
    let rows = record.rows(run: session.identity, code: session.code, flags: flags)
    if let output = request.output {
      do throws(FileError) {
        try AtomicFile.write(CSV.encode(rows), to: output, overwrite: request.force)
      } catch { throw ToolFailure(writing: error) }
    }
    let text = CountsText(
      record: record, reference: request.records ? nil : before,
      certificate: certificate(of: session.identity.machineID), explains: request.explains)
    switch request.format {
    case .text: try console.out(text.text(style: style(request.color)))
    case .markdown: try console.out(text.markdown)
    case .csv: try console.out(String(decoding: CSV.encode(rows), as: UTF8.self))
    case .json: try console.out(JSONValue.rows(rows).list)
    }
    if let output = request.output, !request.quiet { console.say("bench: counts in \(output)") }
    if record.wasInterrupted {
      console.say("bench: interrupted after \(record.cases.count) of \(plan.cases.count) cases")
      return .interrupted
    }
    if request.records { return try store(record, request, session, path) }
    return judge(record, request, path)
  }

  /// Writes the baseline; rows of other toolchains and of what was not counted stay.
  private func store(
    _ record: CountingRecord, _ request: CountsRequest, _ session: RunSession, _ path: String
  ) throws(ToolFailure) -> ExitCode {
    guard let rows = record.baselineRows(commit: session.code.commit) else {
      console.say("bench: a case failed, so \(path) stays as it was")
      return .findings
    }
    // Read now: another run may have recorded meanwhile.
    var baseline = try storedBaseline(path, request)
    for row in rows { baseline.record(row) }
    do throws(FileError) {
      try File.makeDirectories(File.directory(of: path))
      try AtomicFile.write(baseline.csv, to: path, overwrite: true)
    } catch { throw ToolFailure(writing: error) }
    console.say("bench: recorded \(rows.count) cases in \(path)")
    return .success
  }

  /// What the comparison means for whoever waits for the exit code.
  private func judge(_ record: CountingRecord, _ request: CountsRequest, _ path: String) -> ExitCode
  {
    func say(_ finding: String) { console.say("bench: \(finding)") }
    let verdicts = record.cases.map { $0.comparison?.verdict }
    let failed = record.cases.count { $0.failure != nil }
    if failed > 0 { say("\(failed) of \(record.cases.count) cases could not be counted") }
    if let other = record.toolchainBefore, let own = record.toolchain, other != own {
      say(
        "NOT JUDGED: the base was counted with \(other), this build with \(own); expected one "
          + "toolchain for both; build this program again with the `swift` in PATH")
      return .inconclusive
    }
    let more = verdicts.count { $0 == .more }
    if more > 0 {
      say(
        "\(more) of \(record.cases.count) cases take more than before; mend it, or "
          + (request.base == nil ? "record a new baseline with --record and " : "")
          + "say in the commit what it buys")
    }
    guard failed == 0, more == 0 else { return .findings }
    let noisy = verdicts.count { $0 == .noisy }
    if noisy > 0 {
      say(
        "NOT JUDGED: \(noisy) of \(record.cases.count) cases are too noisy; expected repetitions "
          + "that agree, as with one worker; count with --workers 1, or take more of them with "
          + "--processes")
      return .inconclusive
    }
    let missing = record.cases.filter { $0.comparison == nil }
    if let first = missing.first, request.isWhole || request.baseline != nil {
      say(
        "NOT JUDGED: \(missing.count) of \(record.cases.count) cases have no baseline, first "
          + "\(CountsText.label(first.planned)); expected a row for each in \(path); record it "
          + "with --record before the change")
      return .noBaseline
    }
    if verdicts.contains(.fewer), request.base == nil {
      say("some cases take less than before; --record makes that the new baseline")
    }
    return .success
  }

  /// The baseline is of other toolchains, or there is none.
  private static func foreign(
    _ record: CountingRecord, _ baseline: CountsBaseline, _ path: String
  ) -> ToolFailure {
    let others = baseline.toolchains
    return ToolFailure(
      .noBaseline, place: path,
      finding: others.isEmpty
        ? "NOT JUDGED: there is no baseline, so nothing was counted"
        : "NOT JUDGED: it has counts of \(others.joined(separator: " and of ")) alone, so nothing "
          + "was counted",
      expectation: "counts of \(record.toolchain ?? "this toolchain")",
      nextStep: "record them before the change with --record, then count again after it")
  }
}

extension ToolFailure {
  /// A program that counting needs is not there, or does not work.
  init(_ missing: CountingTools.Missing) {
    self.init(
      missing.failure, absent: .missing, expectation: "the Debian package \(missing.package)",
      install: "scripts/install-packages --counts installs it")
  }
}
