// SPDX-License-Identifier: Apache-2.0

import Glibc
import Results
import Statistics
import Testing

@testable import Gate

@Suite("Gate")
struct GateTests {
  @Test(
    "families of 40 that are no worse than allowed are red in one of a thousand at most",
    arguments: [(1, 20), (1.01, 20)])
  func falseAlarms(ratio: Double, families: Int) {
    var pairs = MadeUpPairs(seed: 11)
    let red = (0..<families).count { _ in
      let entries = (0..<40).map { pairs.entry($0, pairs: [20, 40, 80][$0 % 3], ratio: ratio) }
      return Gate().judge(entries).verdict == .regression
    }
    print("families of 40, \(ratio) times as slow: \(red) of \(families) red")
    let rate = BinomialRate(successes: red, cases: families, level: 0.999)
    #expect(rate.interval.low <= 0.001)
    // So that a gate that calls nothing red does not pass for a sound one.
    let slow = (0..<39).map { pairs.entry($0) } + [pairs.entry(39, ratio: 1.1)]
    #expect(Gate().judge(slow).verdict == .regression)
  }

  @Test("slow-downs beyond the tolerance are found, and only they", arguments: [1.08, 1.1, 1.3])
  func findsSlowDowns(ratio: Double) {
    var pairs = MadeUpPairs(seed: 12)
    let gates = 30
    var found = 0
    for _ in 0..<gates {
      var entries = (0..<6).map { pairs.entry($0) }
      entries[4] = pairs.entry(4, ratio: ratio)
      let regressions = Gate().judge(entries).regressions
      #expect(regressions.allSatisfy { $0.subject.params["n"] == "4" })
      found += regressions.isEmpty ? 0 : 1
    }
    print("slow-down of \(ratio): \(found) of \(gates) found")
    #expect(BinomialRate(successes: found, cases: gates, level: 0.999).interval.high >= 0.9)
    #expect(found > gates / 2)
  }

  @Test("a throughput that falls is a regression, and one that rises is none")
  func higherIsBetter() {
    var pairs = MadeUpPairs(seed: 13)
    let less = Gate().judge([pairs.entry(metric: .throughput, ratio: 0.85)])
    #expect(less.verdict == .regression)
    #expect((less.members.first?.ratio ?? 0) > 1.1)
    let more = Gate().judge([pairs.entry(metric: .throughput, ratio: 1.2)])
    #expect(more.verdict == .improvement && more.regressions.isEmpty)
  }

  @Test("a tolerance lets through what it says, and no more")
  func tolerates() throws {
    var pairs = MadeUpPairs(seed: 14)
    let limits = try LimitsParserTests.parse("chain * wall tolerance 10%")
    let entry = pairs.entry(ratio: 1.06, noise: 0.02)
    #expect(Gate().judge([entry]).verdict == .regression)
    #expect(Gate().judge([pairs.entry(ratio: 1.06, noise: 0.02, limits: limits)]).verdict == .held)
    #expect(
      Gate().judge([pairs.entry(ratio: 1.2, noise: 0.02, limits: limits)]).verdict == .regression)
  }

  @Test("a limit judges the candidate alone")
  func limitsCandidates() throws {
    var pairs = MadeUpPairs(seed: 15)
    func standing(limit: String, _ pairs: inout MadeUpPairs) throws -> [GateMember.Standing] {
      let limits = try LimitsParserTests.parse("chain * wall limit \(limit)")
      return Gate().judge([pairs.entry(noise: 0.02, limits: limits, candidate: 100)]).members
        .filter { if case .limit = $0.rule { true } else { false } }.map(\.standing)
    }
    #expect(try standing(limit: "90ns", &pairs) == [.regression])
    #expect(try standing(limit: "110ns", &pairs) == [.held])
    #expect(try standing(limit: "100ns", &pairs) == [.open])
  }

  @Test("a member of a family is judged, and told of, by the pairs that the family needs")
  func goesOnInAFamily() throws {
    var pairs = MadeUpPairs(seed: 21)
    let others = (1..<40).map { pairs.entry($0, noise: 0.01) }
    // By themselves 20 pairs would do, but not among 40.
    let slow = Gate().judge([pairs.entry(0, ratio: 1.2, noise: 0.01)] + others)
    #expect(slow.regressions.map(\.subject.params["n"]) == ["0"])
    guard case .pairs(let member)? = slow.regressions.first?.grounds else {
      Issue.record("no pairs")
      return
    }
    #expect(member.outcome.pairs == 40)
  }

  @Test("a bad beginning that the family does not take for worse is outlived")
  func outlivesABeginning() throws {
    var pairs = MadeUpPairs(seed: 22)
    let (beginning, rest) = (
      pairs.logRatios(20, ratio: 1.03, noise: 0.001), pairs.logRatios(60, noise: 0.001)
    )
    let ratios = beginning + rest
    let others = (1..<40).map { pairs.entry($0, noise: 0.01) }
    let first = pairs.entry(0)
    let evidence = PairEvidence(
      logRatios: ratios, candidates: ratios.map { 100 * exp($0) }, design: .standard)
    let entry = GateEntry(
      subject: first.subject, ruling: first.ruling, evidence: .pairs(evidence))
    let result = Gate().judge([entry] + others)
    #expect(result.members.first { $0.subject.params["n"] == "0" }?.standing == .held)
  }

  @Test("that nothing is worse is said at the error of one comparison, since it raises no alarm")
  func holdsInAFamily() {
    var pairs = MadeUpPairs(seed: 24)
    // 20 pairs say nothing at the part of the error that one of 40 has.
    let better = pairs.entry(0, pairs: 20, ratio: 0.96, noise: 0.005)
    let result = Gate().judge([better] + (1..<40).map { pairs.entry($0, noise: 0.005) })
    #expect(result.members.first { $0.subject.params["n"] == "0" }?.standing == .held)
  }

  @Test("what the time did not reach keeps a gate from green")
  func outOfTime() throws {
    var pairs = MadeUpPairs(seed: 23)
    let unreached = pairs.entry(.excluded(.noTime))
    let settled = pairs.entry(noise: 0.005)
    #expect(Gate().judge([settled]).verdict == .held)
    #expect(Gate().judge([settled, unreached]).verdict == .inconclusive)
    #expect(Gate().judge([pairs.entry(ratio: 1.3, noise: 0.01), unreached]).verdict == .regression)
    // What was never meant to be judged does not.
    let lacking = pairs.entry(.excluded(.lacking))
    #expect(Gate().judge([settled, lacking]).verdict == .held)
  }

  @Test("too few pairs settle nothing, whatever they show")
  func needsTheFirstLook() {
    var pairs = MadeUpPairs(seed: 16)
    let result = Gate().judge([
      pairs.entry(0, pairs: 19, ratio: 2, noise: 0.01), pairs.entry(1, pairs: 18, noise: 0.001),
    ])
    #expect(result.verdict == .inconclusive)
    #expect(result.members.allSatisfy { $0.standing == .open })
  }

  @Test("noise that hides a difference is open, and says how much it could hide")
  func staysOpen() throws {
    var pairs = MadeUpPairs(seed: 17)
    let result = Gate().judge([pairs.entry(pairs: 20, noise: 0.4)])
    #expect(result.verdict == .inconclusive)
    #expect(try #require(result.members.first?.couldHide) > 0.1)
  }

  @Test("a gate that judged nothing is not green")
  func judgesNothing() throws {
    let pairs = MadeUpPairs(seed: 18)
    let off = try LimitsParserTests.parse("# as it is\n* * * off")
    let result = Gate().judge([
      pairs.entry(.excluded(.tooNoisy(detectable: 0.2))), pairs.entry(.excluded(.noBase)),
      pairs.entry(.counts(base: nil, candidate: .init(1)), limits: off),
    ])
    #expect(result.verdict == .unjudged)
    #expect(
      result.exclusions.map(\.reason) == [.tooNoisy(detectable: 0.2), .noBase, .off(line: 2)])
    #expect(Gate().judge([]).verdict == .unjudged)
  }

  @Test("what failed keeps a gate from green, and a regression beside it counts")
  func failures() {
    var pairs = MadeUpPairs(seed: 19)
    let failed = pairs.entry(.failed("crashed"))
    #expect(Gate().judge([pairs.entry(noise: 0.01), failed]).verdict == .failed)
    #expect(Gate().judge([pairs.entry(ratio: 1.3, noise: 0.01), failed]).verdict == .regression)
  }

  @Test("counts and times make one verdict, the worst first")
  func oneVerdict() throws {
    var pairs = MadeUpPairs(seed: 20)
    let more = OperationCounts.Count(3)
    let same = OperationCounts.Count(2)
    let times = pairs.entry(noise: 0.005)
    #expect(Gate().judge([times]).verdict == .held)
    let red = Gate().judge([times, pairs.entry(.counts(base: same, candidate: more))])
    #expect(red.verdict == .regression)
    #expect(red.members.map(\.standing) == [.regression, .held])
    #expect(red.regressions.first?.ratio == 1.5)
    let green = Gate().judge([times, pairs.entry(.counts(base: more, candidate: same))])
    #expect(green.verdict == .improvement)
    let limits = try LimitsParserTests.parse("* * allocations limit 2.5")
    let beyond = Gate().judge([
      pairs.entry(.counts(base: more, candidate: more), limits: limits)
    ])
    #expect(beyond.members.map(\.standing) == [.regression, .held])
  }
}

@Suite("Counts in a gate")
struct GateCountsTests {
  private static func standing(
    _ metric: Metric, _ base: Double, _ value: Double, spread: Double = 0, limits: String = ""
  ) throws -> [GateMember.Standing] {
    let subject = LimitsTests.subject(metric)
    let entry = GateEntry(
      subject: subject,
      ruling: try #require(LimitsParserTests.parse(limits).ruling(subject)),
      evidence: .counts(base: .init(base, spread: spread), candidate: .init(value, spread: spread)))
    return Gate().judge([entry]).members.map(\.standing)
  }

  @Test("one per cent more instructions and one more allocation are found, fewer pass")
  func withoutLimits() throws {
    #expect(try Self.standing(.instructions, 1000, 1010) == [.regression])
    #expect(try Self.standing(.instructions, 1000, 1004) == [.held])
    #expect(try Self.standing(.instructions, 1000, 990) == [.improvement])
    #expect(try Self.standing(.instructions, 1000, 1010, spread: 10) == [.open])
    #expect(try Self.standing(.allocations, 3, 4) == [.regression])
    #expect(try Self.standing(.allocations, 3, 3.005) == [.held])
    #expect(try Self.standing(.allocations, 3, 2) == [.improvement])
    #expect(try Self.standing(.allocations, 0, 1) == [.regression])
    #expect(try Self.standing(.readModifyWrites, 8, 8.06) == [.regression])
  }

  @Test("a tolerance widens what is let through, and what must be found with it")
  func withTolerance() throws {
    let limits = "* * instructions tolerance 2%\n* * allocations tolerance 50%"
    #expect(try Self.standing(.instructions, 1000, 1019, limits: limits) == [.held])
    #expect(try Self.standing(.instructions, 1000, 1021, limits: limits) == [.regression])
    #expect(try Self.standing(.allocations, 2, 3, limits: limits) == [.held])
    #expect(try Self.standing(.allocations, 2, 3.02, limits: limits) == [.regression])
    #expect(
      try Self.standing(.instructions, 1000, 1001, limits: "* * instructions tolerance 0")
        == [.regression])
  }

  @Test("a limit has no spread, and a count without a base has no tolerance")
  func limits() throws {
    let limits = "* * allocations limit 5"
    #expect(try Self.standing(.allocations, 5, 5, spread: 2, limits: limits).contains(.open))
    #expect(try Self.standing(.allocations, 5, 4, spread: 1, limits: limits).contains(.held))
    #expect(
      try Self.standing(.allocations, 9, 7, spread: 0.2, limits: limits)
        == [.regression, .improvement])
    let nothing = MadeUpPairs(seed: 1).entry(.counts(base: nil, candidate: .init(3)))
    #expect(Gate().judge([nothing]).exclusions.map(\.reason) == [.noBase])
    #expect(try Self.standing(.instructions, 0, 7).isEmpty)
  }
}
