// SPDX-License-Identifier: Apache-2.0

/// What `--help` prints, made from the verb and option tables.
package enum HelpText {
  /// Width at which option summaries wrap.
  package static let width = 80

  /// The overview, or the page of one verb; ends with a newline.
  package static func page(for verb: Verb?) -> String {
    guard let verb else { return overview }
    var lines = ["usage: \(verb.usage)", ""] + wrap(verb.explanation, width: width) + [""]
    lines.append("options:")
    let options = OptionTable.options(of: verb)
    for option in options { lines += entry(for: option) }
    lines += entry(left: "--help", summary: "this page")
    if verb == .report {
      lines += ["", "formats:"]
      for format in ReportRequest.Format.allCases {
        lines += entry(left: format.word, summary: format.summary)
      }
    }
    lines += ["", "Every option can also come from the environment: BENCH_<NAME>, such as"]
    let sample = options.first?.name ?? .filter
    lines.append("\(sample.environmentVariable) for \(sample.flag). The command line wins.")
    lines += ["", examplesHeading] + exampleLines(verb.examples)
    if verb == .run || verb == .compare { lines += ["", exitCodes] }
    if verb == .check { lines += ["", gateExitCodes, exitCodes] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static var overview: String {
    var lines = [
      "bench measures operation schedulers: which is faster on which workload, and is",
      "the difference established?", "", "usage: bench [VERB] [OPTIONS]", "", "verbs:",
    ]
    for verb in Verb.allCases {
      lines += entry(left: verb.rawValue, summary: verb.summary)
    }
    lines += entry(left: "--version", summary: "versions of the suite, the CSV and Swift")
    lines += entry(left: "--help", summary: "this page; `bench help VERB` lists options")
    lines += ["", examplesHeading]
    lines += exampleLines(
      Array(Verb.run.examples.prefix(3)) + [Verb.list.examples[0], Verb.doctor.examples[0]])
    return lines.joined(separator: "\n") + "\n"
  }

  /// `bench` is on nobody's search path.
  private static let examplesHeading = "examples (for bench type scripts/bench):"

  private static let exitCodes = """
    exit codes: 0 done, 1 a benchmark failed, 64 usage, 65 malformed input file, 69
    nothing matched, 70 internal fault or too few system resources, 73 or 74 cannot
    write, 130 interrupted (what was complete is written).
    """

  private static let gateExitCodes = """
    a gate ends with 0 no regression, 2 a regression, 3 nothing judged, or with
    --require-conclusive something not settled, 4 with --fail-on-improvement
    something better, 5 no base, or a baseline of another machine; and with these:
    """

  private static func exampleLines(_ examples: [(command: String, meaning: String)]) -> [String] {
    examples.flatMap { ["  \($0.command)", "      \($0.meaning)"] }
  }

  private static func entry(for option: OptionSpecification) -> [String] {
    let placeholder = option.shape.placeholder
    let left = option.name.flag + (placeholder.isEmpty ? "" : " \(placeholder)")
    return entry(left: left, summary: option.summary + (option.repeats ? " (repeatable)" : ""))
  }

  /// `  left   summary`, wrapped; a long left side gets a line of its own.
  static func entry(left: String, summary: String, indent: Int = 24) -> [String] {
    let wrapped = wrap(summary, width: width - indent)
    let blank = String(repeating: " ", count: indent)
    let head = "  \(left)"
    guard let first = wrapped.first else { return [head] }
    let rest = wrapped.dropFirst().map { blank + $0 }
    if head.count + 2 > indent { return [head, blank + first] + rest }
    return [head + String(repeating: " ", count: indent - head.count) + first] + rest
  }

  /// What stays on the line of its number.
  private static let units: Set<Substring> = ["ns", "µs", "ms", "s", "min", "h", "%", "MB"]

  /// The words of a text; a number and its unit are one.
  private static func words(_ text: String) -> [Substring] {
    var words: [Substring] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let bare = word.prefix { !",.;:)".contains($0) }
      if let number = words.last, units.contains(bare), number.last?.isNumber == true {
        words[words.count - 1] = "\(number) \(word)"
      } else {
        words.append(word)
      }
    }
    return words
  }

  /// Breaks text at blanks and line ends so that no line exceeds `width`, long words apart.
  package static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words(text) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
