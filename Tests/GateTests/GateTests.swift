// SPDX-License-Identifier: Apache-2.0

import Results
import Statistics
import Testing

@testable import Gate

@Suite("Gate")
struct GateTests {
  @Test(
    "families of 40 that are no worse than allowed are red in one of a hundred at most",
    arguments: [(1, 40), (1.01, 80)])
  func falseAlarms(ratio: Double, families: Int) {
    var pairs = MadeUpPairs(seed: 11)
    let red = (0..<families).count { _ in
      let entries = (0..<40).map { pairs.entry($0, pairs: [20, 40, 80][$0 % 3], ratio: ratio) }
      return Gate().judge(entries).verdict == .regression
    }
    print("families of 40, \(ratio) times as slow: \(red) of \(families) red")
    let rate = BinomialRate(successes: red, cases: families, level: 0.999)
    #expect(rate.interval.low <= 0.01)
    // So that a gate that calls nothing red does not pass for a sound one.
    let slow = (0..<39).map { pairs.entry($0) } + [pairs.entry(39, ratio: 1.1)]
    #expect(Gate().judge(slow).verdict == .regression)
  }

  @Test("slow-downs beyond the tolerance are found, and only they", arguments: [1.06, 1.1, 1.3])
  func findsSlowDowns(ratio: Double) {
    var pairs = MadeUpPairs(seed: 12)
    let gates = 60
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
      pairs.entry(.counts(base: nil, candidate: .init(value: 1, least: 1, most: 1)), limits: off),
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
    let more = CountReading(value: 3, least: 3, most: 3)
    let same = CountReading(value: 2, least: 2, most: 2)
    let times = pairs.entry(noise: 0.005)
    #expect(Gate().judge([times]).verdict == .held)
    let red = Gate().judge([times, pairs.entry(.counts(base: same, candidate: more))])
    #expect(red.verdict == .regression)
    #expect(red.members.map(\.standing) == [.regression, .held])
    #expect(red.regressions.first?.ratio == 1.5)
    let green = Gate().judge([times, pairs.entry(.counts(base: more, candidate: same))])
    #expect(green.verdict == .improvement)
    let limits = try LimitsParserTests.parse("* * voluntary-switches limit 2.5")
    let beyond = Gate().judge([
      pairs.entry(.counts(base: more, candidate: more), limits: limits)
    ])
    #expect(beyond.members.map(\.standing) == [.regression, .held])
  }
}

@Suite("Counts")
struct CountReadingTests {
  static func reading(_ value: Double, _ spread: Double = 0) -> CountReading {
    CountReading(value: value, least: value - spread, most: value + spread)
  }

  @Test(
    "more is worse when no repetition says otherwise",
    arguments: [
      (2.0, 0.0, 2.0, 0.0, 0.0, Verdict.equivalent), (2, 0, 3, 0, 0, .slower),
      (3, 0, 2, 0, 0, .faster), (1000, 0, 1010, 0, 0, .slower),
      (1000, 0, 1010, 0, 0.02, .equivalent),
      (1000, 5, 1010, 5, 0, .inconclusive), (1000, 5, 1010, 4, 0, .slower),
      (1000, 5, 1000, 5, 0, .equivalent), (1000, 5, 1000, 6, 0, .inconclusive),
      (1000, 5, 1030, 5, 0.03, .inconclusive), (1000, 5, 980, 5, 0.02, .equivalent),
      (0, 0, 0, 0, 0, .equivalent), (0, 0, 1, 0, 0.5, .slower),
    ] as [(Double, Double, Double, Double, Double, Verdict)])
  func compares(
    base: Double, baseSpread: Double, value: Double, spread: Double, tolerance: Double,
    verdict: Verdict
  ) {
    #expect(
      Self.reading(value, spread).verdict(
        against: Self.reading(base, baseSpread), tolerance: tolerance) == verdict)
  }

  @Test("a limit has no spread")
  func limits() {
    #expect(Self.reading(5, 1).verdict(against: 6) == .equivalent)
    #expect(Self.reading(5, 1).verdict(against: 5) == .inconclusive)
    #expect(Self.reading(5, 1).verdict(against: 3.9) == .slower)
  }
}
