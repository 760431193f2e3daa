// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import Harness
internal import Machine
internal import Results

/// The program `bench`: takes the words of its command line and returns its exit code.
package struct CommandLineTool {
  /// Version of the suite, printed by `--version` and recorded with every run.
  package static let version = "0.1.0"

  let suite: Suite
  let environment: [String: String]
  let console: Console

  package init(suite: Suite, environment: [String: String], console: Console) {
    self.suite = suite
    self.environment = environment
    self.console = console
  }

  /// Runs the whole program: the shell of a recipe where make started it as one, a child's side for
  /// the hidden verb, else what the user asked for.
  ///
  /// Call it on the main thread before any other thread starts. A debug build becomes the release
  /// build first.
  /// - Parameters:
  ///   - arguments: the words after the program's name.
  ///   - environment: the environment variables.
  ///   - suite: everything that can be measured.
  /// - Returns: the exit code.
  package static func run(
    arguments: [String], environment: [String: String], suite: Suite
  ) -> Int32 {
    // SAFETY: the arguments of the process live as long as it does.
    unsafe shim_become_recipe_shell(CommandLine.argc, CommandLine.unsafeArgv)
    if arguments.first == measureChildVerb {
      return runMeasureChild(arguments: Array(arguments.dropFirst()), suite: suite)
    }
    shim_hold_standard_streams()
    let console = Console.standard
    do {
      try ReleaseReexecution.becomeReleaseBuild(
        arguments: arguments, environment: environment, console: console)
    } catch {
      console.say("bench: \(error)")
      return error.code.rawValue
    }
    shim_report_lost_writes()
    return CommandLineTool(suite: suite, environment: environment, console: console)
      .run(arguments).rawValue
  }

  /// Does what the command line asks for and reports failures on the stream for messages.
  package func run(_ arguments: [String]) -> ExitCode {
    do {
      let parser = ArgumentParser(
        workloadNames: suite.workloads.map(\.name),
        otherNames: suite.schedulers.map(\.name) + suite.references.map(\.name),
        suites: SuiteShelf(suite.selections), cpuCount: Int(shim_usable_cpus()))
      let parsed = try parser.parse(arguments, environment: environment)
      for remark in parsed.remarks where !parsed.isOn(.quiet) { console.say("bench: \(remark)") }
      switch parsed.wish {
      case .help(let verb):
        try console.out(HelpText.page(for: verb))
        return .success
      case .version:
        try console.out(
          "bench \(Self.version), CSV schema \(Column.schemaVersion), "
            + "Swift \(BuildFacts.swiftVersion)\n")
        return .success
      case .verb(.run): return try runBenchmarks(RunRequest(parsed))
      case .verb(.compare):
        guard let files = try FilesRequest(parsed) else {
          return try compare(CompareRequest(parsed))
        }
        return try compare(files)
      case .verb(.check): return try check(CheckRequest(parsed))
      case .verb(.counts): return try counts(CountsRequest(parsed))
      case .verb(.report): return try report(ReportRequest(parsed))
      case .verb(.profile): return try profile(ProfileRequest(parsed))
      case .verb(.replay): return try replay(ReplayRequest(parsed))
      case .verb(.record): return try record(RecordRequest(parsed))
      case .verb(.baseline): return try baseline(BaselineRequest(parsed))
      case .verb(.history): return try history(HistoryRequest(parsed))
      case .verb(.list): return try list(parsed)
      case .verb(.schema): return try schema(parsed)
      case .verb(.doctor): return try doctor(parsed)
      case .verb(.selftest): return try selfTest(SelfTestRequest(parsed))
      }
    } catch {
      console.say("bench: \(error)")
      return error.code
    }
  }

  private func list(_ parsed: ParsedArguments) throws(ToolFailure) -> ExitCode {
    let list = ListText(
      suite: suite, selections: try SuiteShelf(suite.selections).all(), only: parsed.words)
    try console.out(
      parsed.text(.format) == "json" ? list.json : list.text(style: style(parsed.text(.color))))
    return .success
  }

  /// How stdout is coloured.
  func style(_ option: String?) -> TerminalStyle {
    TerminalStyle.resolve(
      option: option, environment: environment, isTerminal: console.outIsTerminal)
  }
}
