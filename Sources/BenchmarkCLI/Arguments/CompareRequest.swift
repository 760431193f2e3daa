// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results
internal import Statistics

/// What the user wants compared and shown.
struct CompareRequest: Sendable {
  /// What is measured, written and shown.
  var run: RunRequest
  /// What is judged; its measurement is that of `run`.
  var comparison = ComparisonRequest()

  /// The revision whose build is the base; nil for none.
  var base: String?
  /// Executables that are compared, the base first; none, or two.
  var binaries: [String] = []
  /// What `swift build` is told to build a revision.
  var buildOptions: [String] = []

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when options contradict each other.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    run = try RunRequest(parsed)
    comparison.pairs = parsed.count(.pairs)
    comparison.metrics = try Self.metrics(parsed.names(.metric))
    let difference = parsed.fraction(.tolerance) ?? Tolerance.timing.difference
    let equivalence = parsed.fraction(.equivalence) ?? Tolerance.timing.equivalence
    guard difference < equivalence else {
      throw .usage(
        parsed.fraction(.equivalence) == nil ? "--tolerance" : "--equivalence",
        "the tolerance is \(UnitFormatter.percent(difference)), the margin of equivalence "
          + UnitFormatter.percent(equivalence),
        expected: "a tolerance below the margin", next: "give both")
    }
    comparison.tolerance = Tolerance(difference: difference, equivalence: equivalence)
    base = parsed.text(.base)
    binaries = parsed.texts(.binary)
    buildOptions = parsed.buildOptions
    guard binaries.isEmpty || base == nil else {
      throw .usage(
        "--binary", "--base names the base already", expected: "one of the two",
        next: "leave out the other")
    }
    guard binaries.isEmpty || binaries.count == 2 else {
      throw .usage(
        "--binary", "given \(binaries.count == 1 ? "once" : "\(binaries.count) times")",
        expected: "--binary OLD --binary NEW", next: "name two executables")
    }
    // A scheduler named twice is compared with itself, which shows what equal sides look like.
    if !isOfBuilds { run.measurement.schedulers = parsed.allNames(.scheduler) }
  }

  /// True when two builds are compared, and not contestants of this one.
  var isOfBuilds: Bool { base != nil || !binaries.isEmpty }

  private static func metrics(_ names: [String]?) throws(ToolFailure) -> [Metric]? {
    guard let names else { return nil }
    var metrics: [Metric] = []
    for name in names {
      guard let metric = Metric(rawValue: name) else {
        throw .usage(
          "--metric", "unknown metric `\(name)`",
          next: NearestName.suggestion(
            for: name, in: Metric.allCases.map(\.rawValue),
            otherwise: "`bench schema` lists them"))
      }
      metrics.append(metric)
    }
    return metrics
  }
}
