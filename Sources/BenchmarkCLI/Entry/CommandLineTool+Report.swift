// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Exports
internal import Results

extension CommandLineTool {
  /// `bench report`: shows stored runs, or writes them in the forms of other tools.
  func report(_ request: ReportRequest) throws(ToolFailure) -> ExitCode {
    let folder = request.output.flatMap { File.isDirectory($0) ? $0 : nil }
    if case .exported = request.format, request.paths.count > 1, folder == nil {
      throw .usage(
        "--format \(request.format.word)",
        "it takes one run, and there are \(request.paths.count) files",
        expected: "one file, or an existing folder for one export each",
        next: "make a folder and name it with --output")
    }
    var runs: [StoredRun] = []
    for path in request.paths { runs.append(try StoredRun(path: path, console: console)) }
    guard let output = request.output else {
      try console.out(text(of: runs, request, style: style(request.color)))
      return .success
    }
    // A file is no terminal, whatever standard output is.
    let style = TerminalStyle.resolve(
      option: request.color, environment: environment, isTerminal: false)
    var files: [(path: String, bytes: [UInt8])] = []
    if let folder {
      for run in runs {
        let path = "\(folder)/\(run.stem)\(request.format.suffix)"
        if files.contains(where: { $0.path == path }) {
          throw .usage(
            run.name, "another file of this name is written to \(path) already",
            expected: "files of different names", next: "write them to folders of their own")
        }
        files.append((path, Array(try text(of: [run], request, style: style).utf8)))
      }
    } else {
      files = [(output, Array(try text(of: runs, request, style: style).utf8))]
    }
    do throws(FileError) { try AtomicFile.write(files, overwrite: request.force) } catch {
      throw ToolFailure(writing: error)
    }
    if !request.quiet { for file in files { console.say("bench: report in \(file.path)") } }
    return .success
  }

  /// The runs in the form asked for, under their names where there are several.
  private func text(of runs: [StoredRun], _ request: ReportRequest, style: TerminalStyle)
    throws(ToolFailure) -> String
  {
    switch request.format {
    case .shown(.text):
      return sections(
        of: runs, heading: { style.paint($0, .strong) }, { $0.text(style: style) },
        paired: { $0.text(style: style) })
    case .shown(.markdown):
      return sections(
        of: runs, heading: { "## `\($0)`" }, \.markdown, paired: \.markdown)
    case .shown(.csv): return String(decoding: CSV.encode(runs.flatMap(\.rows)), as: UTF8.self)
    case .shown(.json):
      guard runs.count > 1 else { return JSONValue.rows(runs.flatMap(\.rows)).list }
      return JSONValue.array(
        runs.map { .object([("file", .string($0.name)), ("rows", .rows($0.rows))]) }
      ).list
    case .exported(let format):
      var text = ""
      for run in runs { text += try export(run, format, isQuiet: request.quiet) }
      return text
    }
  }

  /// The reports of the runs one after the other.
  private func sections(
    of runs: [StoredRun], heading: (String) -> String, _ body: (Report) -> String,
    paired: (PairedReport) -> String
  ) -> String {
    runs.map { run in
      let roster = Roster(suite)
      let text =
        PairedAnalysis.isPaired(run.rows)
        ? paired(
          PairedReport(
            PairedAnalysis(rows: run.rows, roster: roster),
            context: certified(ReportContext(), run.rows)))
        : body(
          Report(
            Analysis(rows: run.rows, roster: roster),
            context: certified(ReportContext(), run.rows)))
      return runs.count > 1 ? "\(heading(run.name))\n\n\(text)" : text
    }.joined(separator: "\n")
  }

  /// A run as another tool takes it; says what is not in it.
  private func export(_ run: StoredRun, _ format: ExportFormat, isQuiet: Bool)
    throws(ToolFailure) -> String
  {
    let environment = try run.environment()
    let export: Export
    do throws(ExportFailure) {
      export = try format.export(ExportedRun(rows: run.rows, environment: environment))
    } catch { throw ToolFailure(.malformedInput, place: run.name, finding: "\(error)") }
    guard !isQuiet else { return export.text }
    let most = 10
    for omission in export.omissions.prefix(most) {
      console.say("bench: \(run.name): left out: \(omission)")
    }
    let rest = export.omissions.count - most
    if rest > 0 {
      console.say("bench: \(run.name): left out: \(rest) more figure\(rest == 1 ? "" : "s")")
    }
    return export.text
  }
}
