// SPDX-License-Identifier: Apache-2.0

/// What `bench history` should do.
struct HistoryRequest: Sendable {
  /// The word behind the verb.
  enum Action: String, CaseIterable, Sendable {
    case add, scan, confirm, bisect, show, export

    /// What else may stand on its command line, for the message when something must not.
    var form: String {
      switch self {
      case .add: "bench history add FILE…, or bench history add [WORKLOAD…] [--commit REV]"
      case .scan: "bench history scan [--filter REGEX] [--since COMMIT]"
      case .confirm: "bench history confirm [COMMIT] [--filter REGEX]"
      case .bisect: "bench history bisect GOOD BAD --filter REGEX"
      case .show: "bench history show [--filter REGEX]"
      case .export: "bench history export --output FOLDER [--format otava]"
      }
    }

    /// The forms of its output, the usual one first.
    var formats: [String] {
      switch self {
      case .add, .confirm, .bisect: ["text"]
      case .scan, .show: ["text", "json"]
      case .export: ["otava"]
      }
    }

    /// How many words may follow it; nil for any number.
    fileprivate var wordCounts: ClosedRange<Int>? {
      switch self {
      case .add: nil
      case .confirm: 0...1
      case .bisect: 2...2
      case .scan, .show, .export: 0...0
      }
    }

    /// Whether it takes an option; those of all actions left aside.
    fileprivate func takes(_ option: OptionName) -> Bool {
      switch option {
      case .since: self == .scan
      case .filter: self != .add
      case .output, .force: self == .export
      case .commit, .scheduler, .workers, .axes, .cpus, .allocator, .metric: self == .add
      case .quick, .budget, .pairs, .buildOptions, .allowDebug, .noProgress:
        [.add, .confirm, .bisect].contains(self)
      case .seed: [.add, .scan, .confirm, .bisect].contains(self)
      default: true
      }
    }
  }

  let action: Action
  /// Results files to add, each once; none where something is measured.
  let paths: [String]
  /// The commits that `confirm` and `bisect` are about.
  let commits: [String]
  /// The commit that is measured.
  let commit: String
  /// What is measured, and how; for `confirm` and `bisect` the series say what.
  let compare: CompareRequest
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
  static var allFormats: [String] { RunRequest.distinct(Action.allCases.flatMap(\.formats)) }

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when the action is missing or unknown, or what it needs is missing.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    let names = Action.allCases.map(\.rawValue)
    guard let word = parsed.words.first, let action = Action(rawValue: word) else {
      let found = parsed.words.first.map { "`\($0)` is no action" } ?? "no action is named"
      throw .usage(
        "history", found, expected: names.joined(separator: ", "),
        next: NearestName.suggestion(
          for: parsed.words.first ?? "", in: names, otherwise: "see `bench history --help`"))
    }
    self.action = action
    let words = RunRequest.distinct(Array(parsed.words.dropFirst()))
    if words.contains("") || action.wordCounts.map({ !$0.contains(words.count) }) ?? false {
      let found = words.contains("") ? "an empty word" : "\(words.count) words"
      throw .usage(
        "history \(word)", "\(found) behind it", expected: action.form,
        next: "look for a shell variable that is not set, or leave words out")
    }
    format = parsed.text(.format) ?? action.formats[0]
    guard action.formats.contains(format) else {
      throw .usage(
        "--format", "`\(format)` is no form of `history \(word)`",
        expected: action.formats.joined(separator: " or "))
    }
    // A variable of the environment is for the actions that take it.
    if let option = parsed.typed.first(where: { !action.takes($0) }) {
      let owner = Action.allCases.first { $0.takes(option) }
      throw .usage(
        option.flag, "not an option of `history \(word)`",
        next: owner.map { "it belongs to `history \($0.rawValue)`" } ?? "leave it out")
    }
    output = parsed.text(.output)
    if action == .export, output == nil {
      throw .usage("--output", "is missing", expected: action.form, next: "name a folder")
    }
    paths = action == .add ? words.filter(Self.isPath) : []
    commits = action == .add ? [] : words
    let workloads = action == .add ? words.filter { !Self.isPath($0) } : []
    guard paths.isEmpty || workloads.isEmpty else {
      throw .usage(
        "history add", "`\(paths[0])` is a file, and `\(workloads[0])` a workload",
        expected: action.form, next: "add them one after the other")
    }
    // The words and the filter of a history are not those of a comparison.
    var measuring = parsed
    measuring.words = workloads
    for option in [OptionName.filter, .format, .output] { measuring.values[option] = nil }
    compare = try CompareRequest(measuring)
    commit = parsed.text(.commit) ?? "HEAD"
    folder = parsed.text(.history)
    filter = parsed.text(.filter)
    since = parsed.text(.since)
    seed = parsed.seed
    force = parsed.isOn(.force)
    color = parsed.text(.color)
    quiet = parsed.isOn(.quiet)
  }

  /// Whether a word is a path, which no name of a workload can be.
  private static func isPath(_ word: String) -> Bool {
    word == "-" || word.contains("/") || word.contains(".")
  }
}
