// SPDX-License-Identifier: Apache-2.0

internal import Measurement

/// What the user wants counted, compared and shown.
struct CountsRequest: Sendable {
  /// Workloads, schedulers, worker counts and axes.
  let measurement: MeasurementRequest
  /// True when the user named none of these: then every standard case has to be judged.
  let isWhole: Bool
  /// Repetitions of every case; nil for as many as it takes.
  let repetitions: Int?
  /// True when the counts become the baseline.
  let records: Bool
  /// Path of the baseline; nil for the one in the package.
  let baseline: String?
  /// A revision to compare with in place of a baseline; nil for none.
  let base: String?
  /// What `swift build` is told beside the product, for that revision.
  let buildOptions: [String]
  /// True when functions are shown.
  let explains: Bool
  /// Path of a CSV; nil for none.
  let output: String?
  let force: Bool
  let format: RunRequest.Format
  let allowDebug: Bool
  let color: String?
  let showsProgress: Bool
  let quiet: Bool

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when options contradict each other.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    var measurement = MeasurementRequest()
    measurement.workloadNames = RunRequest.distinct(parsed.words)
    measurement.schedulers = parsed.names(.scheduler)
    measurement.workers = parsed.counts(.workers)
    measurement.axes = parsed.axes
    self.measurement = measurement
    isWhole =
      parsed.words.isEmpty && measurement.schedulers == nil && measurement.workers == nil
      && measurement.axes.isEmpty
    repetitions = parsed.count(.processes)
    records = parsed.isOn(.record)
    baseline = parsed.text(.baseline)
    base = parsed.text(.base)
    buildOptions = parsed.buildOptions
    explains = parsed.isOn(.explain)
    output = parsed.text(.output)
    force = parsed.isOn(.force)
    format = parsed.text(.format).flatMap(RunRequest.Format.init) ?? .text
    allowDebug = parsed.isOn(.allowDebug)
    color = parsed.text(.color)
    showsProgress = !parsed.isOn(.noProgress)
    quiet = parsed.isOn(.quiet)
    guard base == nil || (baseline == nil && !records) else {
      throw .usage(
        OptionName.base.flag, "a revision takes the place of the baseline",
        expected: "no --baseline and no --record with it", next: "leave one of them out")
    }
    // `scripts/bench` tells every verb how to build, by the environment.
    guard base != nil || !parsed.typed.contains(.buildOptions) else {
      throw .usage(
        OptionName.buildOptions.flag, "there is nothing to build",
        expected: "--base REV with it", next: "leave it out, or name a revision")
    }
    guard !explains || format == .text || format == .markdown else {
      throw .usage(
        OptionName.explain.flag, "\(format.rawValue) has no place for functions",
        expected: "--format text or markdown", next: "leave one of them out")
    }
  }
}
