// SPDX-License-Identifier: Apache-2.0

package import Traces

/// Which recording runs again, and on what.
package enum ReplayRequest: Sendable {
  /// On schedulers, as `run --graph` does.
  case run(RunRequest)
  /// In virtual time.
  case simulate(SimulateRequest)

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when no file is named, or options of the other kind.
  package init(_ parsed: ParsedArguments) throws(ToolFailure) {
    let words = RunRequest.distinct(parsed.words)
    guard !words.isEmpty, !words.contains("") else {
      throw .usage(
        "FILE", words.isEmpty ? "no recording is named" : "the name is empty",
        expected: "the path of a recording", next: "make one with `bench profile --trace FILE`")
    }
    guard parsed.isOn(.simulate) else {
      for name in [OptionName.policy, .overhead, .trace] where parsed.typed.contains(name) {
        throw .usage(
          name.flag, "it counts for a simulation only", expected: "--simulate with it",
          next: "leave \(name.flag) out, or add --simulate")
      }
      var run = try RunRequest(parsed)
      run.measurement.workloadNames = []
      run.graphPaths = words
      self = .run(run)
      return
    }
    self = .simulate(try SimulateRequest(parsed, words: words))
  }
}

/// Which recording is scheduled in virtual time, and with what.
package struct SimulateRequest: Sendable {
  /// The recording.
  package let path: String
  /// Worker counts; nil for that of the recording and twice, four times and eight times as many.
  package let workers: [Int]?
  package let policies: [SimulationPolicy]
  /// Factor on the overhead that was measured.
  package let overheadFactor: Double
  package let seed: UInt64
  package let format: RunRequest.Format
  /// Where the schedule goes as a recording.
  package let trace: String?
  package let force: Bool
  package let color: String?
  package let quiet: Bool

  /// Options that mean nothing in virtual time.
  private static let ofRuns: [OptionName] = [
    .scheduler, .axes, .budget, .processes, .allocator, .cpus, .timeScale, .body, .output, .quick,
    .allowDebug, .dryRun, .samples, .allocations,
  ]

  init(_ parsed: ParsedArguments, words: [String]) throws(ToolFailure) {
    for name in Self.ofRuns where parsed.typed.contains(name) {
      throw .usage(
        name.flag, "a simulation runs nothing, so that it counts for nothing",
        expected: "--workers, --policy, --overhead, --seed and --trace beside --simulate",
        next: "leave out \(name.flag), or --simulate")
    }
    guard words.count == 1 else {
      throw .usage(
        "--simulate", "\(words.count) recordings are named", expected: "one",
        next: "simulate one after the other")
    }
    path = words[0]
    workers = parsed.counts(.workers)
    policies = try Self.policies(parsed.names(.policy))
    overheadFactor = try Self.factor(parsed.text(.overhead) ?? "x1")
    seed = parsed.seed ?? 0
    format = parsed.text(.format).flatMap(RunRequest.Format.init) ?? .text
    trace = parsed.text(.trace)
    force = parsed.isOn(.force)
    color = parsed.text(.color)
    quiet = parsed.isOn(.quiet)
    if trace != nil, policies.count * (workers?.count ?? 0) != 1 {
      throw .usage(
        OptionName.trace.flag, "it holds one schedule, and several are asked for",
        expected: "one of --workers and one of --policy", next: "name one of each")
    }
  }

  private static func policies(_ names: [String]?) throws(ToolFailure) -> [SimulationPolicy] {
    guard let names else { return SimulationPolicy.allCases }
    let known = SimulationPolicy.allCases.map(\.rawValue)
    return try names.map { name throws(ToolFailure) in
      guard let policy = SimulationPolicy(rawValue: name) else {
        throw .usage(
          OptionName.policy.flag, "unknown policy `\(name)`",
          expected: known.joined(separator: ", "),
          next: NearestName.suggestion(for: name, in: known, otherwise: ""))
      }
      return policy
    }
  }

  private static func factor(_ text: String) throws(ToolFailure) -> Double {
    let number = text.hasPrefix("x") ? String(text.dropFirst()) : text
    guard let factor = Double(number), factor.isFinite, factor >= 0, factor <= 1e6 else {
      throw .usage(
        OptionName.overhead.flag, "`\(text)` is no factor",
        expected: "x and a number from 0 to 1000000, such as x0.5",
        next: "x0 schedules without any overhead")
    }
    return factor
  }
}
