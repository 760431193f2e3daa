// SPDX-License-Identifier: Apache-2.0

import Analysis
import Harness
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import BenchmarkCLI

@Suite struct PairedReportTests {
  private func report(
    _ pairs: FakePairs, context: ReportContext = ReportContext(seed: 7),
    _ change: (inout ComparisonRequest) -> Void = { _ in }
  ) throws -> PairedReport {
    let record = Fixtures.record(try Fixtures.comparison(change), pairs)
    return PairedReport(
      PairedAnalysis(rows: Fixtures.writer().rows(record), roster: Roster(Fixtures.suite)),
      context: context)
  }

  @Test func theAnswerStandsInTheFirstLine() throws {
    let text = try report(.steady([1.5], noise: 0.02)).text(style: .plain)
    #expect(
      text == """
        work-stealing takes 48 % to 51 % more time than dispatch on chain (20 pairs,
        which show differences from 3.6 % up)

                 -36 %                      0                      +57 %
          chain                            ┊│┊                     ├─●    slower

        chain  n=100000 · 2 workers
          work-stealing takes 48 % to 51 % more time than dispatch (20 pairs, which show
          differences from 3.6 % up)
          wall: dispatch 99.9 ns, work-stealing 150 ns (medians of pairs)

        A pair is a process of its own in which the sides take turns, in random order.
        Bars: change in time from base to candidate with its 95 % interval, less is
        better; ┊ is the tolerance. slower, faster: certainly beyond 1 %; equivalent:
        certainly within 3 %.
        Equal sides are called slower or faster in at most 0.5 % of comparisons.
        Seed 7.

        """)
  }

  @Test func everyVerdictIsASentence() throws {
    func sentence(_ ratio: Double, _ noise: Double, _ metric: Metric = .wall) throws -> String {
      let report = try report(.steady([ratio], noise: noise)) { $0.metrics = [metric] }
      let result = try #require(report.analysis.results.first)
      return PairedSentence(result: result).text()
    }
    #expect(
      try sentence(1.05, 0.01)
        == "work-stealing takes 4.2 % to 5.3 % more time than dispatch (20 pairs, which show "
        + "differences from 2.3 % up)")
    #expect(
      try sentence(2.5, 0.01)
        == "work-stealing takes 2.48 to 2.51 times as long as dispatch (20 pairs, which show "
        + "differences from 2.3 % up)")
    #expect(
      try sentence(0.8, 0.01)
        == "work-stealing takes 20 % to 21 % less time than dispatch (20 pairs, which show "
        + "differences from 2.3 % up)")
    let fraction = try sentence(0.4, 0.01)
    #expect(
      fraction.hasPrefix("work-stealing takes 0.397 to 0.401 times as long as dispatch"),
      "\(fraction)")
    #expect(
      try sentence(1, 0.002)
        == "work-stealing and dispatch are equivalent within 3 %: -0.1 % to +0.06 % (20 pairs, "
        + "which show differences from 1.3 % up)")
    #expect(
      try sentence(1.02, 0.05)
        == "inconclusive: work-stealing against dispatch -1.7 % to +3.6 %; differences below 4.5 % "
        + "cannot be seen with 80 pairs; about 151 would settle it")
    #expect(
      try sentence(1.05, 0.01, .cpu)
        == "cpu of work-stealing is 4.2 % to 5.3 % above that of dispatch (20 pairs, which show "
        + "differences from 2.3 % up)")
    let throughput = try sentence(1.05, 0.01, .throughput)
    #expect(
      throughput
        == "throughput of work-stealing is 4.0 % to 5.1 % below that of dispatch (20 pairs, which "
        + "show differences from 2.3 % up)")
  }

  /// Sentence, bar and Markdown tell one result by one figure: of time, not of speed.
  @Test(arguments: [0.7, 0.9, 1.2, 1.6]) func everyPlaceTellsOfTime(ratio: Double) throws {
    let report = try report(.steady([ratio], noise: 0.01))
    let interval = try #require(report.analysis.results.first?.ratio?.interval)
    let ends = [interval.low, interval.high].map(UnitFormatter.change)
    #expect(report.markdown.contains("| \(ends[0]) to \(ends[1]) |"))
    let words = ratio < 1 ? "less time than" : "more time than"
    let sizes = (ratio < 1 ? ends.reversed() : ends).map { $0.trimmingPrefix(/[+-]/) }
    let finding = "takes \(sizes[0]) to \(sizes[1]) \(words) dispatch"
    #expect(report.headline.contains(finding), "\(report.headline)")
    let text = report.text(style: .plain)
    for word in ["speed", "as fast", "% faster", "% slower"] { #expect(!text.contains(word)) }
    #expect(text.contains("\nBars: change in time from base to candidate"))
  }

  @Test func barsOfWhatIsBetterHighSayThatTheyAreInverted() throws {
    let report = try report(.steady([1.05], noise: 0.01)) { $0.metrics = [.wall, .throughput] }
    let metrics = "time, 1/throughput from base to candidate"
    #expect(report.legend(hasBars: true)[1].hasPrefix("Bars: change in \(metrics)"))
    #expect(report.legend(hasBars: false)[1].hasPrefix("Change: in \(metrics)"))
  }

  @Test func noLineIsWiderThanATerminal() throws {
    let report = try report(.steady([1.05, 0.3], noise: 0.03)) {
      $0.measurement.workloadNames = ["chain", "fan"]
      $0.measurement.schedulers = ["dispatch", "work-stealing", "inline"]
      $0.metrics = [.wall, .cpu]
    }
    for line in report.text(style: .plain).split(separator: "\n") {
      #expect(line.count <= HelpText.width, "\(line)")
    }
    #expect(
      report.headline
        == "work-stealing against dispatch: slower in 4 of 4; inline against dispatch: faster in 4 of "
        + "4.")
  }

  @Test func markdownIsATableUnderTheAnswer() throws {
    let text = try report(.steady([1.5], noise: 0.02)).markdown
    #expect(
      text == """
        **work-stealing takes 48 % to 51 % more time than dispatch on chain (20 pairs, which show \
        differences from 3.6 % up)**

        | benchmark | base | candidate | metric | verdict | change | 95 % interval | pairs | \
        would be seen |
        | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: |
        | chain (n=100000 · 2 workers) | dispatch | work-stealing | wall | slower | +51 % | \
        +48 % to +51 % | 20 | from 3.6 % up |

        <details><summary>How it was found</summary>

        - work-stealing takes 48 % to 51 % more time than dispatch (20 pairs, which show \
        differences from 3.6 % up)
        - wall: dispatch 99.9 ns, work-stealing 150 ns (medians of pairs)

        A pair is a process of its own in which the sides take turns, in random order.
        Change: in time from base to candidate with its 95 % interval, less is better. slower, \
        faster: certainly beyond 1 %; equivalent: certainly within 3 %.
        Equal sides are called slower or faster in at most 0.5 % of comparisons.
        Seed 7.

        </details>

        """)
  }

  @Test func aStoredComparisonIsReportedAsTheLiveOne() throws {
    let live = try report(.steady([0.97], noise: 0.03), context: ReportContext())
    let rows = try SchemaCheck.rows(ByteSource(CSV.encode(live.analysis.rows)), path: "x")
    let stored = PairedReport(PairedAnalysis(rows: rows, roster: Roster(Fixtures.suite)))
    #expect(stored.text(style: .plain) == live.text(style: .plain))
    #expect(stored.json == live.json)
  }

  @Test func theReasonOfAFailureIsTold() throws {
    let plan = try Fixtures.comparison()
    let failing = FakePairs(refusal: PairFailure(side: 1, .wrongAnswer("3 is not 4"))) { _, _ in
      MeasurementOutcome()
    }
    let record = Fixtures.record(plan, failing)
    let writer = Fixtures.writer()
    let rows = writer.rows(record)
    let told = writer.failures(record).map { (ContestantID($0.row), $0.story) }
    let report = PairedReport(
      PairedAnalysis(rows: rows, roster: Roster(Fixtures.suite)),
      context: ReportContext(failures: Dictionary(told) { first, _ in first }))
    let text = report.text(style: .plain)
    #expect(text.contains("no verdict on work-stealing against dispatch: wrong-answer"))
    #expect(text.contains("  wrong answer: 3 is not 4\n"))
  }
}

@Suite struct CompareVerbTests {
  private func run(_ words: String...) -> (code: ExitCode, out: String, talk: String) {
    var out = ""
    var talk = ""
    let console = Console(out: { out += $0 }, talk: { talk += $0 })
    let code = CommandLineTool(suite: Fixtures.suite, environment: [:], console: console)
      .run(["compare"] + words)
    return (code, out, talk)
  }

  @Test(
    arguments: [
      (["chain"], "compare: there is nothing to compare"),
      (["chain", "--scheduler", "dispatch"], "compare: there is nothing to compare"),
      (["chain", "--scheduler", "dispatch,wrok-stealing"], "did you mean `work-stealing`?"),
      (["chian", "--scheduler", "dispatch,inline"], "did you mean `chain`?"),
      (["chain", "--tolerance", "x"], "--tolerance: `x` is no percentage"),
      (["chain", "--tolerance", "-1%"], "--tolerance: `-1%` is no percentage"),
      (["chain", "--tolerance", "5%"], "--tolerance: the tolerance is 5 %"),
      (["chain", "--equivalence", "1%"], "--equivalence: the tolerance is 1 %"),
      (["chain", "--metric", "wal"], "did you mean `wall`?"),
      (
        ["chain", "--scheduler", "dispatch,inline", "--metric", "latency"],
        "--metric: chain has no figure of latency to judge; expected wall, build, run"
      ), (["chain", "--pairs", "0"], "--pairs: `0` is out of range"),
      (["chain", "--processes", "3"], "--processes: not an option of `compare`"),
      (["chain", "--reference", "foundation"], "--reference: not an option of `compare`"),
    ] as [([String], String)]) func whatCannotBeComparedIsRefused(words: [String], finding: String)
  {
    var result: (code: ExitCode, out: String, talk: String)
    var out = ""
    var talk = ""
    let console = Console(out: { out += $0 }, talk: { talk += $0 })
    let code = CommandLineTool(suite: Fixtures.suite, environment: [:], console: console)
      .run(["compare"] + words)
    result = (code, out, talk)
    #expect(result.code == .usage && result.out.isEmpty)
    #expect(result.talk.contains(finding), "\(result.talk)")
  }

  @Test func aSchedulerNamedTwiceIsComparedWithItself() {
    let result = run("chain", "--scheduler", "dispatch,dispatch", "--dry-run")
    #expect(result.code == .success)
    #expect(result.out.split(separator: "\n").count { $0.contains("dispatch") } == 2)
  }

  @Test func aDryRunShowsWhoIsComparedWithWhom() {
    let result = run(
      "chain", "--scheduler", "work-stealing,dispatch", "--dry-run", "--seed", "3", "--workers", "2"
    )
    #expect(result.code == .success)
    #expect(
      result.out == """
        benchmark  role       scheduler      params
        chain      base       work-stealing  n:100000;workers:2
        chain      candidate  dispatch       n:100000;workers:2

        1 verdict, 20, 40, 80 pairs at most, seed 3, 60.0 s to measure
        estimate: 861 ms when every comparison is settled at its first look, 3.32 s at most

        """)
  }
}
