// SPDX-License-Identifier: Apache-2.0

internal import Results

/// Reads a limits file: a rule on each line, `WORKLOAD SCHEDULER METRIC RULE`.
///
/// Fields stand apart by blanks or tabs, `#` begins a comment, `*` stands for all. RULE is
/// `tolerance 3%`, `limit 500ns` or `off`. A plain value; any thread. O(bytes + rules²).
package struct LimitsParser: Sendable {
  /// A field of a line and where it begins, counted from 1.
  struct Field {
    let text: String
    let column: Int
  }

  private let path: String
  private let workloads: Set<String>
  private let schedulers: Set<String>

  /// - Parameters:
  ///   - path: for messages.
  ///   - workloads: the names that exist.
  ///   - schedulers: the names that exist.
  package init(path: String, workloads: [String], schedulers: [String]) {
    self.path = path
    self.workloads = Set(workloads)
    self.schedulers = Set(schedulers)
  }

  /// The rules of a file whose content is at hand; throws the first thing that is wrong.
  package func parse(_ bytes: [UInt8]) throws(LimitsError) -> Limits {
    var rules: [LimitRule] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = try text(of: line, number: index + 1)
      let fields = Self.fields(of: text)
      guard !fields.isEmpty else { continue }
      let rule = try rule(fields, line: index + 1, columns: text.count)
      if let earlier = rules.first(where: { Self.repeats($0, rule) }) {
        throw error(
          index + 1, fields[0].column,
          "the same workload, scheduler, metric and rule as in line \(earlier.line)",
          "each of them once", "remove one of the lines")
      }
      rules.append(rule)
    }
    return Limits(path: path, rules: rules)
  }

  /// The text of a line, which has no other control character than tabs.
  private func text(of bytes: ArraySlice<UInt8>, number: Int) throws(LimitsError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw error(number, 1, "bytes that are no UTF-8", "UTF-8 text", "save it as UTF-8")
    }
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if scalar == "\r" {
        throw error(
          number, index + 1, "a carriage return", "line feeds alone", "save it with Unix line ends")
      }
      if scalar == "\u{FEFF}" {
        throw error(
          number, index + 1, "a byte order mark", "plain UTF-8", "save it without a byte order mark"
        )
      }
      if scalar != "\t", scalar.properties.generalCategory == .control {
        throw error(
          number, index + 1, "the control character \(scalar.value)", "printable text",
          "remove it")
      }
    }
    return text
  }

  private static func fields(of line: String) -> [Field] {
    var fields: [Field] = []
    var word = ""
    var begin = 0
    for (index, character) in (line.prefix { $0 != "#" } + " ").enumerated() {
      if character == " " || character == "\t" {
        if !word.isEmpty { fields.append(Field(text: word, column: begin)) }
        word = ""
      } else {
        if word.isEmpty { begin = index + 1 }
        word.append(character)
      }
    }
    return fields
  }

  private static func repeats(_ first: LimitRule, _ second: LimitRule) -> Bool {
    first.workload == second.workload && first.scheduler == second.scheduler
      && first.figure == second.figure && first.allowance.word == second.allowance.word
  }

  private func rule(_ fields: [Field], line: Int, columns: Int) throws(LimitsError) -> LimitRule {
    let shape = "WORKLOAD SCHEDULER METRIC, then tolerance 3%, limit 500ns or off"
    guard fields.count >= 4 else {
      let missing = ["WORKLOAD", "SCHEDULER", "METRIC", "a rule"][fields.count]
      throw error(
        line, columns + 1, "the line ends before \(missing)", shape, "write * for all of them")
    }
    let workload = try name(fields[0], of: "workload", among: workloads, line: line)
    let scheduler = try name(fields[1], of: "scheduler", among: schedulers, line: line)
    let figure = try figure(fields[2], line: line)
    let allowance = try allowance(fields, figure: figure, line: line)
    let used = allowance == .off ? 4 : 5
    if fields.count > used {
      let isSplit = ["%", "ns", "us", "µs", "ms", "s"].contains(fields[used].text)
      throw error(
        line, fields[used].column, "\(quoted(fields[used].text)) after the rule",
        used == 4 ? "the end of the line after off" : "the end of the line after the value",
        isSplit ? "write the unit without a blank before it" : "begin a comment with #")
    }
    return LimitRule(
      workload: workload, scheduler: scheduler, figure: figure, allowance: allowance, line: line)
  }

  private func name(_ field: Field, of kind: String, among known: Set<String>, line: Int)
    throws(LimitsError) -> String?
  {
    if field.text == "*" { return nil }
    guard known.contains(field.text) else {
      throw error(
        line, field.column, "unknown \(kind) \(quoted(field.text))",
        "* or one of \(known.sorted().joined(separator: ", "))", "correct it or remove the line")
    }
    return field.text
  }

  private func figure(_ field: Field, line: Int) throws(LimitsError) -> FigureKey? {
    if field.text == "*" { return nil }
    let pieces = field.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let metric = Metric(rawValue: String(pieces[0])) else {
      throw error(
        line, field.column, "unknown metric \(quoted(String(pieces[0])))",
        "* or one of \(Self.gated.map(\.rawValue).joined(separator: ", "))",
        "see `bench schema` for what they are")
    }
    guard Self.gated.contains(metric) else {
      throw error(
        line, field.column, "\(metric.rawValue), of which no value is better than another",
        "one of \(Self.gated.map(\.rawValue).joined(separator: ", "))", "remove the line")
    }
    guard pieces.count == 2 else { return FigureKey(metric, metric.usualStatistic) }
    let allowed = metric.statistics.filter { $0 != .ratio }
    guard let statistic = Statistic(rawValue: String(pieces[1])), allowed.contains(statistic) else {
      throw error(
        line, field.column + pieces[0].count + 1,
        "\(quoted(String(pieces[1]))), which is no statistic of \(metric.rawValue)",
        "one of \(allowed.map(\.rawValue).joined(separator: ", "))",
        "write the metric alone for its \(metric.usualStatistic == .p50 ? "median" : "largest")")
    }
    return FigureKey(metric, statistic)
  }

  /// The metrics that can be better or worse.
  private static let gated = Metric.allCases.filter { $0.direction != .none }

  private func allowance(_ fields: [Field], figure: FigureKey?, line: Int)
    throws(LimitsError) -> LimitRule.Allowance
  {
    let word = fields[3]
    guard LimitRule.Allowance.words.contains(word.text) else {
      throw error(
        line, word.column, "unknown rule \(quoted(word.text))",
        LimitRule.Allowance.words.joined(separator: ", "),
        "a limit is a bound of its own, a tolerance how much worse than the base it may be")
    }
    if word.text == "off" { return .off }
    guard fields.count > 4 else {
      throw error(
        line, word.column + word.text.count, "\(word.text) without a value",
        word.text == "limit" ? "a figure with its unit, such as 500ns" : "a share, such as 3%",
        "write it behind the word")
    }
    let value = fields[4]
    if word.text == "tolerance" {
      guard let fraction = LimitValue.fraction(value.text) else {
        throw error(
          line, value.column, "tolerance \(quoted(value.text))", "0 or 0% to 100%, such as 3%",
          "write a share of the base; a bound in units is a limit")
      }
      return .tolerance(fraction)
    }
    guard let metric = figure?.metric else {
      throw error(
        line, fields[2].column, "a limit for all metrics", "one metric, whose unit the limit has",
        "write a line for each")
    }
    guard let bound = LimitValue.bound(value.text, unit: metric.measure) else {
      throw error(
        line, value.column, "limit \(quoted(value.text)) of \(metric.rawValue)",
        "a figure above 0 with a unit of \(LimitValue.units(of: metric.measure))",
        "write the worst value that is allowed; a share of the base is a tolerance")
    }
    return .limit(bound)
  }

  private func error(
    _ line: Int, _ column: Int, _ finding: String, _ expectation: String, _ nextStep: String
  ) -> LimitsError {
    LimitsError(
      path: path, line: line, column: column, finding: finding, expectation: expectation,
      nextStep: nextStep)
  }
}
