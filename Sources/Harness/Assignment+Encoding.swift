// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// An assignment's text cannot be read.
package struct AssignmentError: Error, Equatable, CustomStringConvertible {
  /// Finding and expectation.
  package var message: String
  /// The message.
  package var description: String { message }
}

extension Assignment {
  /// The assignment as `key=value` lines, in a fixed order; `init(encoded:)` reads it back.
  package var encoded: String {
    var lines: [(String, String)] = []
    switch subject {
    case .workload(let name): lines.append(("workload", name))
    case .graph(let path): lines.append(("graph", path))
    }
    switch system {
    case .scheduler(let name): lines.append(("scheduler", name))
    case .reference(let name): lines.append(("reference", name))
    }
    lines.append(("workers", "\(workers)"))
    if let cpus { lines.append(("cpus", "\(cpus)")) }
    lines.append(("parameters", parameters.description))
    if !knobs.isEmpty { lines.append(("knobs", knobs.description)) }
    lines.append(("warmups", "\(warmups)"))
    lines.append(("minimum-iterations", "\(minimumIterations)"))
    lines.append(("maximum-iterations", "\(maximumIterations)"))
    lines.append(("time-budget-ns", "\(timeBudgetNanoseconds)"))
    lines.append(("seed", "\(seed)"))
    lines.append(("allocator", allocator.rawValue))
    for (key, value) in extra.sorted(by: { $0.key < $1.key }) { lines.append(("x-" + key, value)) }
    return lines.map { "\($0.0)=\(LineText.escaped($0.1))" }.joined(separator: "\n")
  }

  /// Reads what `encoded` wrote.
  package init(encoded text: String) throws(AssignmentError) {
    var fields = try Self.fields(of: text)
    func take(_ key: String) throws(AssignmentError) -> String {
      guard let value = fields.removeValue(forKey: key) else {
        throw AssignmentError(message: "assignment: no '\(key)'; expected one line \(key)=…")
      }
      return value
    }
    func number<Number: FixedWidthInteger>(_ key: String) throws(AssignmentError) -> Number {
      let text = try take(key)
      guard let value = Number(text) else {
        throw AssignmentError(message: "assignment: \(key)=\(text); expected a whole number")
      }
      return value
    }
    let subject: Subject =
      if let name = fields.removeValue(forKey: "workload") { .workload(name) } else {
        .graph(path: try take("graph"))
      }
    let system: System =
      if let name = fields.removeValue(forKey: "reference") { .reference(name) } else {
        .scheduler(try take("scheduler"))
      }
    let sizes = try take("parameters")
    guard let parameters = Parameters(canonical: sizes) else {
      throw AssignmentError(message: "assignment: parameters=\(sizes); expected name:value;…")
    }
    let settings = fields.removeValue(forKey: "knobs") ?? ""
    guard let knobs = KnobSettings(canonical: settings) else {
      throw AssignmentError(message: "assignment: knobs=\(settings); expected name:value;…")
    }
    let allocatorName = try take("allocator")
    guard let allocator = Allocator(rawValue: allocatorName) else {
      throw AssignmentError(
        message: "assignment: allocator=\(allocatorName); expected jemalloc or system")
    }
    self.init(
      subject: subject, system: system, workers: try number("workers"),
      cpus: fields["cpus"] == nil ? nil : try number("cpus"), parameters: parameters, knobs: knobs,
      warmups: try number("warmups"), minimumIterations: try number("minimum-iterations"),
      maximumIterations: try number("maximum-iterations"),
      timeBudgetNanoseconds: try number("time-budget-ns"), seed: try number("seed"),
      allocator: allocator)
    for (key, value) in fields {
      guard key.hasPrefix("x-") else {
        throw AssignmentError(message: "assignment: unknown key '\(key)'; expected x-\(key)=…")
      }
      extra[String(key.dropFirst(2))] = value
    }
  }

  private static func fields(of text: String) throws(AssignmentError) -> [String: String] {
    var fields: [String: String] = [:]
    for line in text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "="),
        let value = LineText.plain(line[line.index(after: equals)...])
      else { throw AssignmentError(message: "assignment: line '\(line)'; expected key=value") }
      fields[String(line[..<equals])] = value
    }
    return fields
  }
}
