// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Exports
internal import History
internal import Measurement
internal import Results

extension CommandLineTool {
  /// `bench history`: keeps the figures of commits, and finds where they change.
  ///
  /// - Parameter laboratory: where commits are measured; nil for this machine.
  func history(_ request: HistoryRequest, in laboratory: HistoryLaboratory? = nil)
    throws(ToolFailure) -> ExitCode
  {
    let store = HistoryStore(
      folder: request.folder ?? PackageFolder.results(lookingUpFrom: folders) + "/history")
    switch request.action {
    case .add:
      guard !request.paths.isEmpty else {
        return try add(request, to: store, self.laboratory(laboratory, request))
      }
      return try add(request, to: store)
    case .confirm:
      return try confirm(
        request, series(request, store), self.laboratory(laboratory, request))
    case .bisect:
      return try bisect(
        request, series(request, store), store, self.laboratory(laboratory, request))
    case .scan: return try scan(request, store)
    case .show:
      let series = try series(request, store)
      try console.out(
        request.format == "json"
          ? HistoryJSON.series(series) : historyText(request).shown(series))
      return .success
    case .export: return try export(request, store)
    }
  }

  // MARK: - add

  /// Adds the files one after the other, each whole or not at all.
  private func add(_ request: HistoryRequest, to store: HistoryStore) throws(ToolFailure)
    -> ExitCode
  {
    for path in request.paths {
      let run = try StoredRun(path: path, console: console)
      try add(run.rows, of: run.name, to: store, isQuiet: request.quiet)
    }
    return .success
  }

  /// Measures the commit against the pinned reference, and adds what came of it.
  private func add(
    _ request: HistoryRequest, to store: HistoryStore, _ laboratory: HistoryLaboratory
  ) throws(ToolFailure) -> ExitCode {
    let reference = try Self.told(store.reference)
    let analysis = try laboratory.measure(reference, request.commit, request.compare)
    if !request.quiet { console.talk(report(analysis).text(style: .plain)) }
    try add(
      analysis.rows, of: "commit \(request.commit)", to: store, isQuiet: request.quiet)
    return .success
  }

  /// Adds the rows of a run, all of them or none.
  private func add(
    _ rows: [ResultRow], of name: String, to store: HistoryStore, isQuiet: Bool
  ) throws(ToolFailure) {
    let compared = try Self.told { () throws(HistoryFailure) in
      try ComparedRun(rows: rows, path: name)
    }
    let reference = try Self.told(store.reference)
    guard compared.reference == reference else {
      throw ToolFailure(
        .malformedInput, place: name,
        finding: "its first side is commit \(compared.reference)",
        expectation: "\(reference), which \(store.referencePath) pins",
        nextStep: "measure against that commit, or pin the other")
    }
    guard let committed = Repository.time(ofCommit: compared.commit, folder: store.folder) else {
      throw ToolFailure(
        .malformedInput, place: name,
        finding: "its second side is commit \(compared.commit), which is unknown here",
        expectation: "a commit of the repository that holds \(store.folder)",
        nextStep: "fetch it, or name the history of its repository with --history")
    }
    let points = compared.points(added: try Self.start().time, committed: committed)
    let addition = try Self.told { () throws(HistoryFailure) in try store.append(points) }
    guard !isQuiet else { return }
    for omission in compared.omissions { console.say("bench: \(name): left out: \(omission)") }
    let known = addition.known > 0 ? ", \(addition.known) there already" : ""
    console.say(
      "bench: commit \(short(compared.commit)): \(addition.added) added\(known), in "
        + store.path(of: rows[0].run.machineID))
  }

  // MARK: - scan

  /// Exit code 1 when something is found: a suspicion is no regression, so it is never 2.
  private func scan(_ request: HistoryRequest, _ store: HistoryStore) throws(ToolFailure)
    -> ExitCode
  {
    var scan = HistoryScan(seed: request.seed ?? 1)
    var scanned: [ScannedSeries] = []
    let all = try series(request, store)
    let since = try request.since.map { text throws(ToolFailure) in
      try Self.moment(ofCommit: text, in: all)
    }
    for series in all {
      let changes = scan.changes(in: series).filter { change in
        since.map { change.after.committed > $0 } ?? true
      }
      scanned.append(ScannedSeries(series: series, changes: changes))
    }
    try console.out(
      request.format == "json"
        ? HistoryJSON.changes(scanned)
        : historyText(request).scanned(scanned, alpha: scan.alpha))
    return scanned.allSatisfy(\.changes.isEmpty) ? .success : .findings
  }

  /// When a commit that the history knows was made.
  private static func moment(ofCommit text: String, in all: [HistorySeries]) throws(ToolFailure)
    -> Timestamp
  {
    let points = all.flatMap(\.points).filter { $0.commit.hasPrefix(text) }
    guard let first = points.first, Set(points.map(\.commit)).count == 1 else {
      throw .usage(
        OptionName.since.flag,
        "`\(text)` is \(points.isEmpty ? "no commit" : "more than one commit") of these series",
        expected: "the first digits of a commit that was measured",
        next: "`bench history show --format json` lists them")
    }
    return first.committed
  }

  // MARK: - export

  /// Writes every file of the export to the folder, all of them or none.
  private func export(_ request: HistoryRequest, _ store: HistoryStore) throws(ToolFailure)
    -> ExitCode
  {
    guard let folder = request.output else {
      fatalError("history export: no folder; expected HistoryRequest to ask for one")
    }
    let export = OtavaExport(try series(request, store))
    let files = export.files.map { (path: "\(folder)/\($0.name)", bytes: Array($0.text.utf8)) }
    do throws(FileError) {
      try File.makeDirectories(folder)
      try AtomicFile.write(files, overwrite: request.force)
    } catch { throw ToolFailure(writing: error) }
    guard !request.quiet else { return .success }
    for name in export.omissions {
      console.say("bench: left out: \(name): neither way is better")
    }
    console.say("bench: \(files.count) files in \(folder); in that folder:")
    for test in export.tests {
      console.say(
        "  otava analyze \(test) --config-file \(OtavaExport.configuration) --since \(export.since)"
      )
    }
    return .success
  }

  // MARK: - Pieces

  private func historyText(_ request: HistoryRequest) -> HistoryText {
    HistoryText(style: style(request.color), certificate: certificate)
  }

  /// A comparison that was measured for a history, as it is shown.
  func report(_ analysis: PairedAnalysis) -> PairedReport {
    PairedReport(analysis, context: certified(ReportContext(), analysis.rows))
  }

  /// The series that the user asked for.
  private func series(_ request: HistoryRequest, _ store: HistoryStore) throws(ToolFailure)
    -> [HistorySeries]
  {
    let all = try Self.told(store.series)
    // The option table has tried it.
    guard let filter = request.filter, let regex = try? Regex(filter) else { return all }
    let matching = all.filter { $0.name.firstMatch(of: regex) != nil }
    guard !matching.isEmpty else {
      throw ToolFailure(
        .nothingMatched, place: OptionName.filter.flag,
        finding: "`\(filter)` matches none of \(all.count) series",
        nextStep: "`bench history show` lists them")
    }
    return matching
  }

  /// What the history says, or why not in the words of the command line.
  private static func told<Value>(_ body: () throws(HistoryFailure) -> Value)
    throws(ToolFailure) -> Value
  {
    do throws(HistoryFailure) { return try body() } catch {
      switch error {
      case .reading(let error): throw ToolFailure(reading: error)
      case .writing(let error): throw ToolFailure(writing: error)
      case .malformed(let finding): throw ToolFailure(finding)
      case .refused(let refusal):
        throw ToolFailure(
          .malformedInput, place: refusal.place, finding: refusal.finding,
          expectation: refusal.expectation, nextStep: refusal.nextStep)
      }
    }
  }
}
