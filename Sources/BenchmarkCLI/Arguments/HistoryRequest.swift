// SPDX-License-Identifier: Apache-2.0

/// What `bench history` should do.
struct HistoryRequest: Sendable {
  /// The word behind the verb.
  enum Action: String, CaseIterable, Sendable {
    case add, scan, show, export

    /// What else may stand on its command line, for the message when something must not.
    var form: String {
      switch self {
      case .add: "bench history add FILE…"
      case .scan: "bench history scan [--filter REGEX] [--since COMMIT]"
      case .show: "bench history show [--filter REGEX]"
      case .export: "bench history export --output FOLDER [--format otava]"
      }
    }

    /// The forms of its output, the usual one first.
    var formats: [String] {
      switch self {
      case .add: ["text"]
      case .scan, .show: ["text", "json"]
      case .export: ["otava"]
      }
    }
  }

  let action: Action
  /// Results files, each once.
  let paths: [String]
  /// The folder of the history; nil for that of the package.
  let folder: String?
  let format: String
  /// A regular expression for names of series.
  let filter: String?
  /// The beginning of a commit: only changes after it.
  let since: String?
  let seed: UInt64?
  /// The folder to export to.
  let output: String?
  let force: Bool
  let color: String?
  let quiet: Bool

  /// Every form that some action has.
  static var allFormats: [String] {
    Action.allCases.flatMap(\.formats).reduce(into: []) { all, word in
      if !all.contains(word) { all.append(word) }
    }
  }

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when the action is missing or unknown, or what it needs is missing.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    let words = Action.allCases.map(\.rawValue)
    guard let word = parsed.words.first, let action = Action(rawValue: word) else {
      let found = parsed.words.first.map { "`\($0)` is no action" } ?? "no action is named"
      throw .usage(
        "history", found, expected: words.joined(separator: ", "),
        next: NearestName.suggestion(
          for: parsed.words.first ?? "", in: words, otherwise: "see `bench history --help`"))
    }
    self.action = action
    paths = RunRequest.distinct(Array(parsed.words.dropFirst()))
    guard paths.isEmpty == (action != .add), !paths.contains("") else {
      throw .usage(
        "history \(word)",
        action == .add ? "no results file is named" : "it takes no further words",
        expected: action.form,
        next: action == .add
          ? "name the CSV of a comparison with the reference" : "leave them out")
    }
    format = parsed.text(.format) ?? action.formats[0]
    guard action.formats.contains(format) else {
      throw .usage(
        "--format", "`\(format)` is no form of `history \(word)`",
        expected: action.formats.joined(separator: " or "))
    }
    for (option, owner) in [(OptionName.since, Action.scan), (.output, .export)]
    where parsed.isOn(option) && action != owner {
      throw .usage(
        option.flag, "not an option of `history \(word)`",
        next: "it belongs to `\(owner.form)`")
    }
    output = parsed.text(.output)
    if action == .export, output == nil {
      throw .usage("--output", "is missing", expected: action.form, next: "name a folder")
    }
    folder = parsed.text(.history)
    filter = parsed.text(.filter)
    since = parsed.text(.since)
    seed = parsed.seed
    force = parsed.isOn(.force)
    color = parsed.text(.color)
    quiet = parsed.isOn(.quiet)
  }
}
