// SPDX-License-Identifier: Apache-2.0

internal import Results

/// Turns the words of a command line into checked values, by the option table alone.
package struct ArgumentParser: Sendable {
  /// Names that may stand first in place of a verb.
  package let workloadNames: [String]
  /// Further names that `list` takes: schedulers and references.
  package let otherNames: [String]
  /// What `--suite` takes by name.
  package let suites: SuiteShelf
  /// What `N` means as a number of workers.
  package let cpuCount: Int

  package init(
    workloadNames: [String], otherNames: [String] = [], suites: SuiteShelf = SuiteShelf(),
    cpuCount: Int = 1
  ) {
    self.workloadNames = workloadNames
    self.otherNames = otherNames
    self.suites = suites
    self.cpuCount = cpuCount
  }

  /// Parses the words after the program's name.
  ///
  /// An option that is not given is taken from the environment (`BENCH_<NAME>`), if the verb takes
  /// it.
  package func parse(_ arguments: [String], environment: [String: String] = [:])
    throws(ToolFailure) -> ParsedArguments
  {
    var rest = arguments[...]
    if let help = try helpVerb(arguments) { return help }
    let verb = try takeVerb(&rest)
    let options = OptionTable.options(of: verb ?? .run)
    var parsed = ParsedArguments(wish: .verb(verb ?? .run))
    while let word = rest.popFirst() {
      if word == "--" {
        parsed.words += rest
        break
      }
      switch word {
      case "--help", "-h":
        parsed.wish = .help(verb)
        return parsed
      case "--version":
        parsed.wish = .version
        return parsed
      default: break
      }
      if word.hasPrefix("--") {
        try take(option: word, rest: &rest, options: options, verb: verb ?? .run, into: &parsed)
      } else if word.hasPrefix("-"), word.count > 1 {
        throw .usage(
          word, "there are no short options", expected: "options by their long names",
          next: "see `bench \(verb ?? .run) --help`")
      } else {
        parsed.words.append(word)
      }
    }
    parsed.typed = Set(parsed.values.keys)
    try takeEnvironment(environment, options: options, into: &parsed)
    try suites.fill(&parsed, options: options, cpuCount: cpuCount)
    parsed.remarks = try EnvironmentNames.remarks(on: environment)
    if verb == .compare { parsed.files = parsed.words.filter(isResultsFile) }
    // Beside a file the words are judged by the request.
    if parsed.files.isEmpty { try checkWords(parsed.words, verb: verb ?? .run) }
    return parsed
  }

  /// What `bench help` and `bench help VERB` ask for; nil for any other command line.
  private func helpVerb(_ arguments: [String]) throws(ToolFailure) -> ParsedArguments? {
    guard arguments.first == "help", !workloadNames.contains("help") else { return nil }
    guard arguments.count > 1 else { return ParsedArguments(wish: .help(nil)) }
    let verbs = Verb.allCases.map(\.rawValue)
    guard arguments.count == 2, let verb = Verb(rawValue: arguments[1]) else {
      let word = arguments.dropFirst().first { !verbs.contains($0) } ?? arguments[2]
      throw .usage(
        "help", "`\(word)` is not the verb it explains", expected: verbs.joined(separator: ", "),
        next: workloadNames.contains(word)
          ? "`bench list \(word)` tells of the workload"
          : NearestName.suggestion(for: word, in: verbs, otherwise: "`bench help` lists the verbs"))
    }
    return ParsedArguments(wish: .help(verb))
  }

  /// The verb, if the first word is one; options and workload names mean `run`.
  private func takeVerb(_ rest: inout ArraySlice<String>) throws(ToolFailure) -> Verb? {
    guard let first = rest.first, !first.hasPrefix("-") else { return nil }
    if let verb = Verb(rawValue: first) {
      rest.removeFirst()
      return verb
    }
    if workloadNames.contains(first) { return nil }
    let verbs = Verb.allCases.map(\.rawValue)
    guard !first.isEmpty else {
      throw .usage(
        "first word", "it is empty", expected: "a verb, a workload or an option",
        next: "look for a shell variable that is not set, or see `bench --help`")
    }
    throw .usage(
      first, "neither a verb nor a workload",
      expected: "\(verbs.joined(separator: ", ")) or a workload",
      next: NearestName.suggestion(
        for: first, in: workloadNames + verbs, otherwise: "see `bench --help` and `bench list`"))
  }

  private func take(
    option word: String, rest: inout ArraySlice<String>, options: [OptionSpecification],
    verb: Verb, into parsed: inout ParsedArguments
  ) throws(ToolFailure) {
    let halves = word.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = halves.first.map(String.init) ?? ""
    guard let option = options.first(where: { $0.name.rawValue == name }) else {
      throw unknown(name, options: options, verb: verb)
    }
    let flag = option.name.flag
    if case .flag = option.shape {
      guard halves.count == 1 else {
        throw .usage(flag, "takes no value, but got `\(halves[1])`", expected: flag)
      }
      parsed.values[option.name] = [.on]
      return
    }
    let text: String
    if halves.count == 2 {
      text = String(halves[1])
    } else if let next = rest.first, next != "--", !next.hasPrefix("--") {
      text = next
      rest.removeFirst()
    } else {
      throw .usage(flag, "has no value", expected: "\(flag) \(option.shape.placeholder)")
    }
    let value = try option.value(of: text, place: flag, cpuCount: cpuCount)
    if option.repeats {
      parsed.values[option.name, default: []].append(value)
    } else {
      parsed.values[option.name] = [value]
    }
  }

  private func unknown(_ name: String, options: [OptionSpecification], verb: Verb)
    -> ToolFailure
  {
    let others = OptionTable.all.first { $0.name.rawValue == name }?.verbs ?? []
    if let other = others.first {
      return .usage(
        "--\(name)", "not an option of `\(verb.rawValue)`",
        next: "it belongs to `bench \(other.rawValue)`")
    }
    let known = options.map(\.name.rawValue) + ["help", "version"]
    return .usage(
      "--\(name)", "unknown option",
      next: NearestName.of(name, in: known).map { "did you mean `--\($0)`?" }
        ?? "see `bench \(verb.rawValue) --help`")
  }

  private func takeEnvironment(
    _ environment: [String: String], options: [OptionSpecification],
    into parsed: inout ParsedArguments
  ) throws(ToolFailure) {
    for option in options where parsed.values[option.name] == nil {
      let variable = option.name.environmentVariable
      guard let text = environment[variable], !text.isEmpty else { continue }
      if case .flag = option.shape {
        switch text.lowercased() {
        case "1", "true", "yes", "on": parsed.values[option.name] = [.on]
        case "0", "false", "no", "off": continue
        default:
          throw .usage(variable, "`\(text)` is neither on nor off", expected: "1 or 0")
        }
      } else {
        parsed.values[option.name] = [
          try option.value(of: text, place: variable, cpuCount: cpuCount)
        ]
      }
    }
  }

  /// Whether a word that might be a workload is a path: no workload has its name, and it ends as
  /// results do, or is there.
  private func isResultsFile(_ word: String) -> Bool {
    guard !word.isEmpty, !workloadNames.contains(word) else { return false }
    return word == "-" || word.hasSuffix(".csv") || File.exists(word) && !File.isDirectory(word)
  }

  private func checkWords(_ words: [String], verb: Verb) throws(ToolFailure) {
    if verb == .list {
      let names = workloadNames + otherNames
      for word in words where !names.contains(word) {
        throw .usage(
          word.isEmpty ? "name" : word, "nothing has this name",
          expected: "a workload, a scheduler or a reference",
          next: NearestName.suggestion(
            for: word, in: names, otherwise: "`bench list` alone shows every name"))
      }
      return
    }
    // Paths and actions, which the request of the verb judges.
    guard ![.report, .history, .baseline, .replay, .record].contains(verb) else { return }
    guard [.run, .compare, .check, .counts, .profile].contains(verb) else {
      guard let word = words.first else { return }
      throw .usage(word, "`bench \(verb.rawValue)` takes no names", next: "leave it out")
    }
    for word in words where !workloadNames.contains(word) {
      let isVerb = Verb(rawValue: word) != nil
      throw .usage(
        word.isEmpty ? "workload" : word, word.isEmpty ? "the name is empty" : "unknown workload",
        next: isVerb
          ? "write the verb first: `bench \(word)`"
          : NearestName.suggestion(
            for: word, in: workloadNames, otherwise: "`bench list` shows their names"))
    }
  }
}
