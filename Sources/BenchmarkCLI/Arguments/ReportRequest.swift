// SPDX-License-Identifier: Apache-2.0

internal import Exports

/// Which stored runs the user wants shown or written, and how.
struct ReportRequest: Sendable {
  /// The form of a report.
  enum Format: Hashable, Sendable, CaseIterable {
    /// As `run` shows its own figures.
    case shown(RunRequest.Format)
    /// As another tool takes them: one run each.
    case exported(ExportFormat)

    static let allCases: [Format] =
      RunRequest.Format.allCases.map(shown) + ExportFormat.allCases.map(exported)

    /// As typed behind `--format`.
    var word: String {
      switch self {
      case .shown(let format): format.rawValue
      case .exported(let format): format.rawValue
      }
    }

    /// One line for help.
    var summary: String {
      switch self {
      case .shown(.text): "the tables of `run`, made from the file; the default"
      case .shown(.csv): "the rows, in the columns of this version"
      case .shown(.json): "the rows as objects"
      case .shown(.markdown): "the tables for a comment on a pull request"
      case .exported(let format): format.summary
      }
    }

    /// How the name of a file in this form ends.
    var suffix: String {
      switch self {
      case .shown(.text): ".txt"
      case .shown(.csv): ".csv"
      case .shown(.json): ".json"
      case .shown(.markdown): ".md"
      case .exported(.influx): ".influx"
      // Collectors of text files read no other name.
      case .exported(.openMetrics): ".prom"
      case .exported(let format): ".\(format.rawValue).json"
      }
    }
  }

  /// Paths of results files, each once, in the order given; `-` for standard input.
  let paths: [String]
  let format: Format
  /// Path of a file or of an existing folder; nil for standard output.
  let output: String?
  let force: Bool
  let color: String?
  let quiet: Bool

  /// The request of a parsed command line.
  ///
  /// An environment file beside a results file that is named too is left to that, so that `*.csv`
  /// names runs.
  /// - Throws: 64 when no file is named.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    let words = RunRequest.distinct(parsed.words)
    guard !words.isEmpty, !words.contains("") else {
      throw .usage(
        "FILE", words.isEmpty ? "no results file is named" : "the name is empty",
        expected: "the path of a CSV that `bench run` wrote, or - for standard input",
        next: "runs lie in results/runs unless --output said otherwise")
    }
    paths = ResultsPlace.runs(among: words)
    let word = parsed.text(.format)
    format = Format.allCases.first { $0.word == word } ?? .shown(.text)
    output = parsed.text(.output).flatMap { $0 == "-" ? nil : $0 }
    force = parsed.isOn(.force)
    color = parsed.text(.color)
    quiet = parsed.isOn(.quiet)
  }
}
