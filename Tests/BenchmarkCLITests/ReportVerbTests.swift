// SPDX-License-Identifier: Apache-2.0

import Analysis
import ExportSamples
import Exports
import MeasurementFixtures
import Results
import TestFolders
import Testing

@testable import BenchmarkCLI

/// `bench report`, from stored files to what it writes.
@Suite struct ReportVerbTests {
  /// Runs the verb; `input` comes on standard input.
  private func report(_ words: [String], input: [UInt8] = [], losesOutput: Bool = false)
    -> (code: ExitCode, out: String, talk: String)
  {
    var out = ""
    var talk = ""
    let console = Console(
      out: { text throws(ToolFailure) in
        if losesOutput {
          throw ToolFailure(.inputOutput, place: "standard output", finding: "no space")
        }
        out += text
      }, talk: { talk += $0 }, input: { input })
    let code = CommandLineTool(suite: Fixtures.suite, environment: [:], console: console)
      .run(["report"] + words)
    return (code, out, talk)
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    try AtomicFile.write(bytes, to: path, overwrite: false)
  }

  private func text(of path: String) throws -> String {
    String(decoding: try File.read(path), as: UTF8.self)
  }

  /// A run with latencies and a reference, as it is told when it ends.
  private func live() throws -> Report {
    Reports.live(
      try Fixtures.plan { $0.references = ["foundation"] },
      FakeRunner { assignment, index in
        Fixtures.outcome(
          wall: [assignment.name == "inline" ? 90 : 100 + Double(index % 7) / 3],
          latencies: assignment.subject == .workload("latency")
            ? (0..<200).map { UInt64(1000 + $0 * index) } : [])
      })
  }

  /// The machine of these rows is none.
  private let context = ReportContext(certificate: "no certificate: run bench selftest")

  // MARK: - What it shows

  @Test func textAndMarkdownAreThoseOfTheRun() throws {
    try TestDirectory.with { folder in
      let live = try live()
      let path = "\(folder)/run.csv"
      try write(CSV.encode(live.analysis.rows), path)
      // Without what only the run knew: its seed.
      let told = Report(live.analysis, context: context)
      #expect(told.text(style: .plain).contains("foundation: its own operations; capped"))
      let text = report([path])
      #expect(text.code == .success && text.talk.isEmpty)
      #expect(text.out == told.text(style: .plain))
      #expect(report([path, "--format", "markdown"]).out == told.markdown)
      #expect(
        report([path, "--color", "always"]).out
          == told.text(style: TerminalStyle(isColored: true)))
    }
  }

  @Test func rowsAreThoseOfTheFile() throws {
    try TestDirectory.with { folder in
      let rows = try live().analysis.rows
      let path = "\(folder)/run.csv"
      try write(CSV.encode(rows), path)
      #expect(report([path, "--format", "csv"]).out == (try text(of: path)))
      #expect(report([path, "--format", "json"]).out == JSONValue.rows(rows).list)
    }
  }

  @Test(arguments: ExportFormat.allCases)
  func everyOtherToolGetsItsFormWithTheMachineBesideTheRows(format: ExportFormat) throws {
    try TestDirectory.with { folder in
      let rows = ExportSamples.ordinary()
      let path = "\(folder)/run.csv"
      try write(CSV.encode(rows), path)
      try write(ExportSamples.environment().csv(), "\(folder)/run.env.csv")
      let run = try ExportedRun(rows: rows, environment: ExportSamples.environment())
      let export = try format.export(run)
      let result = report([path, "--format", format.rawValue])
      #expect(result.code == .success)
      #expect(result.out == export.text && !result.out.isEmpty)
      let told = result.talk.split(separator: "\n").map(String.init)
      #expect(told.count == min(export.omissions.count, 11))
      for (line, omission) in zip(told.prefix(10), export.omissions) {
        #expect(line == "bench: \(path): left out: \(omission)")
      }
      #expect(report([path, "--format", format.rawValue, "--quiet"]).talk.isEmpty)
    }
  }

  @Test func theMachineBesideTheRowsReachesTheExport() throws {
    try TestDirectory.with { folder in
      try write(CSV.encode(ExportSamples.ordinary()), "\(folder)/with.csv")
      try write(ExportSamples.environment().csv(), "\(folder)/with.env.csv")
      try write(CSV.encode(ExportSamples.ordinary()), "\(folder)/without.csv")
      func export(_ name: String) -> String {
        report(["\(folder)/\(name).csv", "--format", "google-benchmark"]).out
      }
      #expect(export("with").contains("\"num_cpus\": 2"))
      #expect(!export("without").contains("\"num_cpus\": 2"))
    }
  }

  @Test func omissionsBeyondTenAreCounted() throws {
    let rows = (0..<12).flatMap { place in
      ExportSamples.rows(ExportSamples.subject(.latency, .max, benchmark: "w\(place)"), 5)
    }
    let result = report(["-", "--format", "gab-smaller"], input: CSV.encode(rows))
    #expect(result.out == "[]\n")
    let lines = result.talk.split(separator: "\n")
    try #require(lines.count == 11)
    #expect(lines[9].hasPrefix("bench: standard input: left out: core/w9["))
    #expect(lines[10] == "bench: standard input: left out: 2 more figures")
  }

  // MARK: - Where from and where to

  @Test func aDashIsStandardInput() throws {
    let live = try live()
    let result = report(["-"], input: CSV.encode(live.analysis.rows))
    #expect(result.out == Report(live.analysis, context: context).text(style: .plain))
    let wrong = report(["-"], input: Array("a,b\n".utf8))
    #expect(wrong.code == .malformedInput)
    #expect(
      wrong.talk.hasPrefix("bench: standard input:1: schema: \"a\" in place 1 of the header;"))
  }

  @Test func severalFilesFollowEachOtherUnderTheirNames() throws {
    try TestDirectory.with { folder in
      let runs = [
        ExportSamples.ordinary(), ExportSamples.ordinary(runID: ExportSamples.laterRunID),
      ]
      let paths = ["\(folder)/b.csv", "\(folder)/a.csv"]
      for (path, rows) in zip(paths, runs) { try write(CSV.encode(rows), path) }
      let single = paths.map { report([$0]).out }
      #expect(
        report(paths).out == "\(paths[0])\n\n\(single[0])\n\(paths[1])\n\n\(single[1])")
      #expect(report(paths + [paths[0]]).out == report(paths).out)
      let markdown = report(paths + ["--format", "markdown"]).out
      #expect(markdown.hasPrefix("## `\(paths[0])`\n\n"))
      #expect(markdown.contains("\n\n## `\(paths[1])`\n\n"))
      let both = CSV.encode(runs.flatMap(\.self))
      #expect(report(paths + ["--format", "csv"]).out == String(decoding: both, as: UTF8.self))
      let json = report(paths + ["--format", "json"]).out.split(separator: "\n")
      #expect(json.count == 4)
      for (line, path) in zip(json.dropFirst(), paths) {
        #expect(line.hasPrefix("  {\"file\": \"\(path)\", \"rows\": [{\"schema\": "))
      }
    }
  }

  @Test func exportsOfSeveralFilesNeedAFolder() throws {
    try TestDirectory.with { folder in
      let paths = ["\(folder)/one.csv", "\(folder)/two.csv"]
      for path in paths { try write(CSV.encode(ExportSamples.ordinary()), path) }
      for output in [[], ["--output", "-"], ["--output", "\(folder)/new"]] {
        let refused = report(paths + ["--format", "influx"] + output)
        #expect(refused.code == .usage && refused.out.isEmpty)
        #expect(
          refused.talk == "bench: --format influx: it takes one run, and there are 2 files; "
            + "expected one file, or an existing folder for one export each; make a folder and "
            + "name it with --output\n")
      }
      try File.makeDirectories("\(folder)/out")
      let written = report(paths + ["--format", "openmetrics", "--output", "\(folder)/out"])
      #expect(written.code == .success && written.out.isEmpty)
      #expect(TestDirectory.names(in: "\(folder)/out") == ["one.prom", "two.prom"])
      #expect(
        try text(of: "\(folder)/out/two.prom")
          == report([paths[1], "--format", "openmetrics"]).out)
      // Two files of one name would be one.
      try File.makeDirectories("\(folder)/other")
      try write(CSV.encode(ExportSamples.ordinary()), "\(folder)/other/one.csv")
      let twice = report([
        paths[0], "\(folder)/other/one.csv", "--format", "jmh", "--output", "\(folder)/out",
      ])
      #expect(twice.code == .usage)
      #expect(twice.talk.contains("\(folder)/other/one.csv: another file of this name"))
      #expect(TestDirectory.names(in: "\(folder)/out") == ["one.prom", "two.prom"])
    }
  }

  @Test func everyFormHasAnEndingOfItsOwn() {
    let formats = ReportRequest.Format.allCases
    #expect(Set(formats.map(\.suffix)).count == formats.count)
    #expect(Set(formats.map(\.word)).count == formats.count)
  }

  @Test func anOutputFileIsWrittenOnce() throws {
    try TestDirectory.with { folder in
      let path = "\(folder)/run.csv"
      try write(CSV.encode(ExportSamples.ordinary()), path)
      let output = "\(folder)/report.txt"
      let words = [path, "--output", output]
      let first = report(words)
      #expect(first.code == .success && first.out.isEmpty)
      #expect(first.talk == "bench: report in \(output)\n")
      #expect(try text(of: output) == report([path]).out)
      let second = report(words + ["--format", "jmh"])
      #expect(second.code == .usage && second.talk.contains("replace it with --force"))
      #expect(report(words + ["--format", "jmh", "--force", "--quiet"]).talk.isEmpty)
      #expect(try text(of: output) == report([path, "--format", "jmh", "--quiet"]).out)
      #expect(report([path, "--output", "\(folder)/none/report.txt"]).code == .cannotCreate)
    }
  }

  @Test func whatLiesBesideANamedRunIsNoRun() throws {
    try TestDirectory.with { folder in
      let rows = ExportSamples.ordinary()
      let paths = ["run", "run.env", "run.samples"].map { "\(folder)/\($0).csv" }
      try write(CSV.encode(rows), paths[0])
      try write(ExportSamples.environment().csv(), paths[1])
      try write(SamplesFile(run: rows[0].run.runID).bytes, paths[2])
      #expect(report(paths).out == report([paths[0]]).out)
      for (path, what) in [
        (paths[1], "the description of a run's machine"), (paths[2], "the samples of a run"),
      ] {
        let result = report([path])
        #expect(result.code == .malformedInput)
        #expect(result.talk.hasPrefix("bench: \(path):1: \(what); expected a results file; "))
      }
    }
  }

  // MARK: - What it refuses

  @Test func lostOutputIsAFailure() throws {
    let result = report(["-"], input: CSV.encode(ExportSamples.ordinary()), losesOutput: true)
    #expect(result.code == .inputOutput)
    #expect(result.talk == "bench: standard output: no space\n")
  }

  @Test func commandLinesWithoutAFileOrWithAnUnknownFormAreRefused() {
    for words in [[], [""], ["--format", "csv"]] {
      let result = report(words)
      #expect(result.code == .usage && result.talk.hasPrefix("bench: FILE: "), "\(words)")
    }
    let form = report(["run.csv", "--format", "jhm"])
    #expect(form.code == .usage)
    #expect(form.talk.contains("--format: unknown value `jhm`") && form.talk.contains("`jmh`"))
    let option = report(["run.csv", "--seed", "1"])
    #expect(option.code == .usage && option.talk.contains("it belongs to `bench run`"))
  }

  @Test func whatIsNoSoundRunIsRefusedWithItsPlace() throws {
    try TestDirectory.with { folder in
      let sound = String(decoding: CSV.encode(ExportSamples.ordinary()), as: UTF8.self)
      let lines = sound.split(separator: "\n").map(String.init)
      let later = String(
        decoding: CSV.encode(ExportSamples.ordinary(runID: ExportSamples.laterRunID)),
        as: UTF8.self)
      let cases: [(name: String, content: String, message: String)] = [
        ("empty", "", ":1: schema: nothing in place 1 of the header; expected schema;"),
        ("bare", Column.header + "\n", ":1: no rows behind the header; expected at least one row;"),
        ("cut", String(sound.dropLast(9)), ": the last line has no line feed;"),
        ("short", lines[0] + "\n" + "3,x\n", ":2: 2 fields; expected 31"),
        ("number", sound.replacing(",lower,", with: ",lower,x"), ":2: value: \"x"),
        ("twice", sound + lines[1] + "\n", ": the same subject, process and pair as in line 2;"),
        (
          "runs", sound + later.dropFirst(Column.header.count + 1),
          "run_id: \"\(ExportSamples.laterRunID)\"; expected \"\(ExportSamples.runID)\" as in line 2"
        ),
      ]
      for (name, content, message) in cases {
        let path = "\(folder)/\(name).csv"
        try write(Array(content.utf8), path)
        for format in ["text", "csv", "bmf"] {
          let result = report([path, "--format", format])
          #expect(result.code == .malformedInput, "\(name)")
          #expect(result.talk.hasPrefix("bench: \(path):"), "\(result.talk)")
          #expect(result.talk.contains(message), "\(result.talk)")
          #expect(result.out.isEmpty)
        }
      }
      let missing = report(["\(folder)/none.csv"])
      #expect(missing.code == .malformedInput)
      #expect(missing.talk.contains("none.csv: cannot be read: no such file or directory"))
      #expect(report([folder]).code == .malformedInput)
    }
  }

  @Test func figuresThatAFormCannotTellApartAreRefused() throws {
    let one = ExportSamples.rows(ExportSamples.subject(), 5)
    let other = ExportSamples.rows(ExportSamples.subject(), 6, of: ExportSamples.code(branch: "b"))
    let result = report(["-", "--format", "bmf"], input: CSV.encode(one + other))
    #expect(result.code == .malformedInput)
    #expect(result.talk.contains("bench: standard input: "))
    #expect(result.talk.contains("figures of two revisions in one export; expected one"))
  }

  @Test func aMachinesFileThatIsDamagedOrOfAnotherRunIsRefused() throws {
    try TestDirectory.with { folder in
      let path = "\(folder)/run.csv"
      try write(CSV.encode(ExportSamples.ordinary()), path)
      var foreign = ExportSamples.environment()
      foreign[.runID] = ExportSamples.laterRunID
      let cases: [(content: [UInt8], message: String)] = [
        (Array("threads\n".utf8), ":1: 1 record; expected a line of names and one of values;"),
        (Array("threads,smt\n2\n".utf8), ":2: 1 fields; expected 2, as in the header;"),
        (Array("thraeds\n2\n".utf8), ":1: \"thraeds\" in the header; expected columns that"),
        (Array("smt,smt\n1,1\n".utf8), ":1: \"smt\" twice in the header; expected each column"),
        (foreign.csv(), ": it describes run \(ExportSamples.laterRunID); expected run "),
      ]
      for (content, message) in cases {
        try AtomicFile.write(content, to: "\(folder)/run.env.csv", overwrite: true)
        let result = report([path, "--format", "google-benchmark"])
        #expect(result.code == .malformedInput && result.out.isEmpty)
        #expect(result.talk.hasPrefix("bench: \(folder)/run.env.csv" + message), "\(result.talk)")
      }
    }
  }
}
