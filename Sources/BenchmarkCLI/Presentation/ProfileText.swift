// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results
internal import Statistics
internal import Traces

/// What a profile says, the answer first.
struct ProfileText {
  let profiles: [Profile]
  let benchmark: String
  let parameters: String

  /// - Parameter profiles: one, or two to compare.
  init(_ profiles: [Profile], benchmark: String, parameters: String) {
    self.profiles = profiles
    self.benchmark = benchmark
    self.parameters = parameters
  }

  /// The analyses of a recording.
  static func report(_ trace: Trace, _ perturbation: PairedRatio?) -> TraceReport {
    TraceReport(
      trace, perturbation: perturbation.flatMap(Self.perturbation),
      schedule: try? Projection.schedule(of: trace))
  }

  private static func perturbation(_ ratio: PairedRatio) -> Perturbation? {
    ratio.interval.map {
      Perturbation(ratio: ratio.ratio, low: $0.low, high: $0.high, level: $0.level)
    }
  }

  /// Whether the recorded run is too unlike the one that is not recorded to name causes; of a
  /// recording that was there before nobody knows.
  static func isPerturbed(_ profile: Profile) -> Bool {
    profile.report.perturbation?.isTooLarge ?? (profile.outcome != nil)
  }

  /// What makes the difference of two; sentence, perturbation and tables of each; then what differs
  /// from operation to operation.
  func text(style: TerminalStyle) -> String {
    var sections: [[String]] = []
    if let comparison {
      var lines = [style.paint(comparison.sentence, .strong)]
      if !comparison.parts.isEmpty {
        lines += ["", style.paint("what the makespans hung on", .faint)]
        lines += comparison.table.lines(style: style)
      }
      sections.append(lines)
    }
    sections += profiles.map { section($0, style) }
    if let difference { sections.append(differenceSection(difference, style)) }
    return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// Which of two schedulers took longer; nil for one.
  var comparison: ProfileComparison? { ProfileComparison(profiles) }

  /// How the runs of the two schedulers differ; nil for one.
  var difference: TraceDifference? {
    guard profiles.count == 2 else { return nil }
    let paths = profiles.compactMap { $0.report.graph?.realisedPath.operations }
    return TraceDifference(
      profiles[0].trace, profiles[1].trace,
      paths: paths.count == 2 ? (paths[0], paths[1]) : nil)
  }

  private func section(_ profile: Profile, _ style: TerminalStyle) -> [String] {
    var lines = [style.paint(profile.report.verdict.sentence, .strong)]
    lines.append(ProfileSentence.perturbation(profile))
    let header = profile.trace.header
    lines.append(
      "\(benchmark)\(parameters.isEmpty ? "" : " (\(parameters))") on \(profile.scheduler): \(profile.trace.operations.count) "
        + "operations, \(profile.trace.edges.count) dependencies, "
        + "makespan \(Self.time(profile.report.window.makespan))")
    if let outcome = profile.outcome, !outcome.isTypical, let departure = outcome.departure {
      lines.append(
        "the recorded run below is unlike the others: \(UnitFormatter.change(departure)) against "
          + "the median of \(outcome.pairs.count)")
    }
    if header.droppedEvents > 0 {
      lines.append(
        "\(header.droppedEvents) events were overwritten: the recording is of the end of the run")
    }
    lines += ["", style.paint("where the time of operations went", .faint)]
    lines += ProfileTables.latency(profile.report.latency).lines(style: style)
    if let times = profile.outcome?.threadTimes {
      lines += ["", style.paint("what threads got of the processors", .faint)]
      lines += ProfileTables.threads(ProfiledThread.all(times, profile.trace)).lines(style: style)
    }
    for profiler in StackProfiler.allCases {
      guard let stacks = profile.stacks[profiler] else { continue }
      lines += ["", style.paint(ProfileTables.title(profiler, stacks), .faint)]
      lines += ProfileTables.functions(profiler, stacks).lines(style: style)
    }
    let findings = ProfileFindings(trace: profile.trace, report: profile.report)
    guard let graph = profile.report.graph else { return lines + findings.section(style) }
    if !Self.isPerturbed(profile) {
      lines += ["", style.paint("why ready operations waited", .faint)]
      lines += ProfileTables.causes(graph.causes).lines(style: style)
    }
    if !Self.isPerturbed(profile) {
      lines += ["", style.paint("what the makespan hung on", .faint)]
      lines += ProfileTables.path(graph.realisedPath).lines(style: style)
    }
    let work = graph.workAndSpan
    lines.append(
      "work \(Self.time(work.work)), span \(Self.time(work.span)), parallelism "
        + (work.parallelism.map(UnitFormatter.significant) ?? "n/a"))
    if let chain = ProfileTables.chain(work, profile.trace) { lines.append(chain) }
    if !Self.isPerturbed(profile), graph.projection.points.count > 1 {
      lines += ["", style.paint("what the graph would take on other numbers of workers", .faint)]
      lines += ProfileTables.projection(graph.projection).lines(style: style)
      lines += profile.projectionCheck.map(ProfileSentence.check) ?? []
    }
    lines += ["", style.paint("operations that waited longest", .faint)]
    lines += ProfileTables.offenders(
      profile.trace, graph.causes, namesCauses: !Self.isPerturbed(profile)
    ).lines(style: style)
    return lines + findings.section(style)
  }

  private func differenceSection(
    _ difference: TraceDifference, _ style: TerminalStyle
  ) -> [String] {
    let (first, second) = (profiles[0], profiles[1])
    let count = Int64(max(1, difference.compared))
    var lines = [
      style.paint("\(second.scheduler) less \(first.scheduler)", .strong),
      "an operation was ready \(Self.longer(difference.readyWait / count)) and ran "
        + "\(Self.longer(difference.run / count)), means of \(difference.compared) operations",
    ]
    let missing = (difference.alignment.unmatchedInFirst, difference.alignment.unmatchedInSecond)
    if missing != (0, 0) {
      lines.append(
        "\(missing.0) operations of \(first.scheduler) and \(missing.1) of \(second.scheduler) "
          + "have no counterpart")
    }
    if let parting = difference.parting {
      lines.append(ProfileSentence.parting(parting, first, second))
    }
    guard comparison?.isApart ?? true else {
      return lines + [
        "single operations are not compared, since neither run is established to be longer: which "
          + "one waits is a matter of order then"
      ]
    }
    return lines + ProfileTables.difference(difference, first.trace).lines(style: style)
  }

  static func time(_ nanoseconds: Int64) -> String {
    UnitFormatter.text(Double(nanoseconds), unit: "ns")
  }

  /// `64.0 µs shorter`.
  private static func longer(_ nanoseconds: Int64) -> String {
    guard nanoseconds != 0 else { return "as long" }
    return "\(time(abs(nanoseconds))) \(nanoseconds < 0 ? "shorter" : "longer")"
  }

  /// With its sign.
  static func change(_ nanoseconds: Int64) -> String {
    (nanoseconds > 0 ? "+" : "") + time(nanoseconds)
  }
}
