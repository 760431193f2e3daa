// SPDX-License-Identifier: Apache-2.0

internal import Results

/// What the user wants done with baselines.
struct BaselineRequest: Sendable, Equatable {
  /// The word behind the verb, with the name where it takes one.
  enum Action: Sendable, Equatable {
    case save(String)
    case list
    case show(String)
    case delete(String)
  }

  let action: Action
  /// Whether save counts.
  let counts: Bool
  let force: Bool
  let isJSON: Bool
  let quiet: Bool

  private static let words = ["save", "list", "show", "delete"]

  /// The request of a parsed command line; throws 64 when it is none.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    let words = parsed.words
    guard let word = words.first, Self.words.contains(word) else {
      let found = words.first
      throw .usage(
        "baseline", found.map { "`\($0)` is nothing to do" } ?? "it says not what to do",
        expected: "save NAME, list, show NAME or delete NAME",
        next: NearestName.suggestion(
          for: found ?? "", in: Self.words, otherwise: "see `bench baseline --help`"))
    }
    guard word != "list" else {
      guard words.count == 1 else {
        throw .usage(
          "baseline list", "it takes no name, but got `\(words[1])`",
          next: "`bench baseline show \(words[1])` shows one")
      }
      self.init(.list, parsed)
      return
    }
    guard words.count == 2 else {
      throw .usage(
        "baseline \(word)", words.count == 1 ? "no name" : "\(words.count - 1) names",
        expected: "one name", next: "`bench baseline list` shows those that there are")
    }
    let name = words[1]
    guard Baseline.isNameOfBaseline(name) else {
      throw .usage(
        "baseline \(word)", "`\(name)` is no name of a baseline",
        expected: "1 to 64 of A-Z a-z 0-9 _ -, with no - first", next: "choose another one")
    }
    self.init(word == "save" ? .save(name) : word == "show" ? .show(name) : .delete(name), parsed)
  }

  private init(_ action: Action, _ parsed: ParsedArguments) {
    self.action = action
    counts = parsed.text(.counts) != "off"
    force = parsed.isOn(.force)
    isJSON = parsed.text(.format) == "json"
    quiet = parsed.isOn(.quiet)
  }
}
