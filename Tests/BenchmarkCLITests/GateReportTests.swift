// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Gate
import Glibc
import Results
import Statistics
import Testing

@testable import BenchmarkCLI

@Suite struct GateReportTests {
  /// Pairs of a candidate that takes `ratio` times as long, with a little noise.
  private static func entry(
    _ workload: String, ratio: Double, pairs: Int = 40, noise: Double = 0.02,
    metric: Metric = .wall, limits: Limits = .none
  ) throws -> GateEntry {
    let subject = subject(workload, metric)
    var generator = SeededGenerator(seed: 7)
    let ratios = (0..<pairs).map { _ in
      log(ratio) + Double.random(in: -noise...noise, using: &generator)
    }
    return GateEntry(
      subject: subject, ruling: try #require(limits.ruling(subject)),
      evidence: .pairs(
        PairEvidence(
          logRatios: ratios, candidates: ratios.map { 500 * exp($0) }, design: .standard)))
  }

  private static func subject(_ workload: String, _ metric: Metric = .wall) -> GateSubject {
    GateSubject(
      workload: workload, params: RowParameters([("n", "10")]), scheduler: "work-stealing",
      figure: FigureKey(metric, .p50))
  }

  private static func without(_ workload: String, _ evidence: GateEntry.Evidence) throws
    -> GateEntry
  {
    let subject = subject(workload)
    return GateEntry(
      subject: subject, ruling: try #require(Limits.none.ruling(subject)), evidence: evidence)
  }

  private static func report(_ entries: [GateEntry], notes: [String] = []) -> GateReport {
    GateReport(
      result: Gate().judge(entries), base: "main at 1a2b3c4d5",
      certificate: "certificate of 2026-03-04", notes: notes)
  }

  @Test func redSaysWhichByHowMuchAndHowSure() throws {
    let report = try Self.report([Self.entry("chain", ratio: 1.1)])
    #expect(report.headline.hasPrefix("RED: chain on work-stealing, wall: +9"))
    #expect(report.headline.contains("worse by more than the 1 % allowed; 20 pairs, p < 0.0001."))
    let several = try Self.report([
      Self.entry("fan", ratio: 1.1), Self.entry("chain", ratio: 1.3),
      Self.entry("wavefront", ratio: 1),
    ])
    #expect(
      several.headline.hasPrefix(
        "RED: 2 of 3 comparisons with main at 1a2b3c4d5 are worse; worst chain"))
    #expect(several.headline.contains("among 3 comparisons"))
    let text = several.text(style: .plain)
    #expect(text.contains("regression"))
    let chain = try #require(text.firstRange(of: "  chain "))
    let fan = try #require(text.firstRange(of: "  fan "))
    #expect(chain.lowerBound < fan.lowerBound)
  }

  @Test func countsAreNoPartOfTheFamilyOfAProbability() throws {
    let counted = Self.subject("fan", .allocations)
    let report = try Self.report([
      Self.entry("chain", ratio: 1.1), Self.entry("wavefront", ratio: 1),
      GateEntry(
        subject: counted, ruling: try #require(Limits.none.ruling(counted)),
        evidence: .counts(base: .init(2), candidate: .init(2))),
    ])
    #expect(report.headline.contains("among 2 comparisons"), "\(report.headline)")
  }

  @Test func whatTheTimeDidNotReachIsNoGreen() throws {
    let late = try Self.without("fan", .excluded(.noTime))
    let report = try Self.report([Self.entry("chain", ratio: 1), late])
    #expect(
      report.headline
        == "OPEN: of 1 comparison with main at 1a2b3c4d5 none is established to be worse, but the "
        + "time did not reach 1 more.")
    let both = try Self.report([Self.entry("chain", ratio: 1, pairs: 20, noise: 0.5), late])
    #expect(both.headline.contains("1 is not settled and the time did not reach 1 more; widest "))
  }

  @Test func greenSaysWhatItCouldHide() throws {
    let report = try Self.report([Self.entry("chain", ratio: 1)])
    #expect(report.headline.hasPrefix("GREEN: of 1 comparison with main at 1a2b3c4d5 none"))
    #expect(report.headline.contains("none can hide more than"))
    let better = try Self.report([Self.entry("chain", ratio: 0.8)])
    #expect(better.headline.contains("best chain on work-stealing, wall"))
    let several = try Self.report([
      Self.entry("chain", ratio: 0.8), Self.entry("fan", ratio: 0.5),
      Self.entry("wavefront", ratio: 1, noise: 0.04),
    ])
    #expect(several.headline.contains("; best fan on work-stealing"), "\(several.headline)")
    let most = try #require(several.result.members.compactMap(\.couldHide).max())
    #expect(
      several.headline.contains("none can hide more than \(UnitFormatter.percent(most));"),
      "\(several.headline)")
  }

  @Test func probabilitiesOfAGateAreSmall() {
    #expect(GateSentence.probability(0.00004) == "p < 0.0001")
    #expect(GateSentence.probability(0.0004) == "p = 0.0004")
    #expect(GateSentence.probability(0.00096) == "p = 0.0010")
    #expect(GateSentence.probability(0.012) == "p = 0.012")
  }

  @Test func neitherIsNoGreen() throws {
    let open = try Self.report([Self.entry("chain", ratio: 1, pairs: 20, noise: 0.5)])
    #expect(open.headline.hasPrefix("OPEN: ") && open.headline.contains("could hide"))
    let several = try Self.report([
      Self.entry("chain", ratio: 1, pairs: 20, noise: 0.3),
      Self.entry("fan", ratio: 1, pairs: 20, noise: 0.6),
    ])
    #expect(several.headline.contains("2 are not settled; widest fan on"), "\(several.headline)")
    let none = try Self.report([Self.without("chain", .excluded(.tooNoisy(detectable: 0.21)))])
    #expect(none.headline.hasPrefix("NOT JUDGED: "))
    #expect(none.text(style: .plain).contains("certificate"))
    #expect(none.text(style: .plain).contains("21 %"))
    let thin = try Self.report([Self.without("chain", .excluded(.fewBeyond(operations: 996)))])
    #expect(
      thin.details == [
        "not judged: chain on work-stealing, wall: 996 operations lie beyond the percentile, and it "
          + "gates from 1000 on; name a lower one in the limits file, or take larger sizes with "
          + "--where"
      ])
    var interrupted = try Self.report([Self.without("chain", .failed("interrupted"))])
    interrupted.wasInterrupted = true
    #expect(
      interrupted.headline
        == "INTERRUPTED: of 0 comparisons with main at 1a2b3c4d5 none is established to be worse "
        + "so far.")
    var late = try Self.report([Self.entry("chain", ratio: 1.1)])
    late.wasInterrupted = true
    #expect(late.headline.hasPrefix("RED: chain on work-stealing, wall: +9"))
    let failed = try Self.report([
      Self.entry("fan", ratio: 1), Self.without("chain", .failed("signal 11")),
    ])
    #expect(failed.headline.hasPrefix("FAILED: 1 could not be measured, first chain"))
    #expect(failed.text(style: .plain).contains("signal 11"))
  }

  @Test func aThroughputThatFallsIsShownAsItFell() throws {
    let report = try Self.report([Self.entry("chain", ratio: 0.9, metric: .throughput)])
    #expect(report.headline.hasPrefix("RED: chain on work-stealing, throughput: -1"))
  }

  @Test func theCertificateStandsBelowTheFirstSentence() throws {
    let report = try Self.report([Self.entry("chain", ratio: 1)], notes: ["Seed 5."])
    let line = "certificate of 2026-03-04"
    let headline = HelpText.wrap(report.headline, width: HelpText.width).joined(separator: "\n")
    #expect(report.text(style: .plain).hasPrefix("\(headline)\n\(line)\n\n"))
    #expect(report.markdown.hasPrefix("**\(report.headline)**\n\n\(line)\n\n"))
    #expect(report.json.contains("\"certificate\": \"\(line)\""))
  }

  @Test func markdownHasTheSentenceAndATable() throws {
    let text = try Self.report([Self.entry("chain", ratio: 1.1)], notes: ["Seed 5."]).markdown
    #expect(text.hasPrefix("**RED: "))
    #expect(text.contains("| chain | work-stealing | wall | regression |"))
    #expect(text.hasSuffix("Seed 5.\n"))
  }

  @Test func jsonHasTheVerdictAndEveryComparison() throws {
    let text = try Self.report([
      Self.entry("chain", ratio: 1.1), Self.without("fan", .excluded(.noBase)),
    ]).json
    #expect(text.contains("\"verdict\": \"regression\""))
    #expect(text.contains("\"standing\": \"regression\""))
    #expect(text.contains("\"reason\": \"the baseline has no count of it\""))
  }

  @Test func annotationsAreOneLineEachAndEscaped() throws {
    let red = try Self.report([
      Self.entry("chain", ratio: 1.1), Self.without("fan", .failed("100 %\nof it")),
    ])
    let lines = WorkflowCommands.annotations(red)
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("::error title=bench check::chain on work-stealing, wall: "))
    #expect(lines[0].contains(" %25 ") && !lines[0].contains(" % "))
    #expect(lines[1].hasSuffix("fan on work-stealing, wall: 100 %25%0Aof it"))
    let green = try WorkflowCommands.annotations(Self.report([Self.entry("chain", ratio: 1)]))
    #expect(green.count == 1 && green[0].hasPrefix("::notice "))
    let open = WorkflowCommands.annotations(Self.report([]))
    #expect(open.count == 1 && open[0].hasPrefix("::warning "))
  }

  @Test(
    arguments: [
      (GateResult.Verdict.held, 0, 0), (.improvement, 0, 4), (.inconclusive, 0, 3),
      (.unjudged, 3, 3), (.failed, 1, 1), (.regression, 2, 2),
    ] as [(GateResult.Verdict, Int32, Int32)])
  func exitCodesAreThoseOfTheContract(verdict: GateResult.Verdict, plain: Int32, strict: Int32)
    throws
  {
    let entries: [GateEntry] =
      switch verdict {
      case .held: [try Self.entry("chain", ratio: 1)]
      case .improvement: [try Self.entry("chain", ratio: 0.8)]
      case .inconclusive: [try Self.entry("chain", ratio: 1, pairs: 20, noise: 0.5)]
      case .unjudged: []
      case .failed: [try Self.without("chain", .failed("crashed"))]
      case .regression: [try Self.entry("chain", ratio: 1.2)]
      }
    let result = Gate().judge(entries)
    #expect(result.verdict == verdict)
    #expect(
      ExitCode(result, requiresConclusion: false, failsOnImprovement: false).rawValue == plain)
    #expect(
      ExitCode(result, requiresConclusion: true, failsOnImprovement: true).rawValue == strict)
  }
}
