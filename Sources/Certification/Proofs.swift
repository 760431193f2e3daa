// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
package import Results

/// What must hold before any figure of a machine is believed, judged from what was seen.
///
/// Pure functions; any thread.
package enum Proofs {
  /// A clock that is read again and again never goes back.
  package static func clock(_ clock: () -> UInt64, reads: Int = 100_000) -> Certificate.Proof {
    var last = clock()
    var setbacks = 0
    for _ in 0..<reads {
      let now = clock()
      if now < last { setbacks += 1 }
      last = now
    }
    return Certificate.Proof(
      name: "clock", holds: setbacks == 0,
      evidence: "\(reads) reads of the clock went back \(setbacks) times")
  }

  /// The counter of allocations counts as many as there were.
  ///
  /// - Parameter counts: what was asked for, and what was counted.
  package static func allocationCounter(_ counts: [(asked: Int, counted: Int)])
    -> Certificate.Proof
  {
    let pieces = counts.map {
      "of \($0.asked) allocations on another thread it counted \($0.counted)"
    }
    return Certificate.Proof(
      name: "allocation-counter", holds: !counts.isEmpty && counts.allSatisfy { $0.0 == $0.1 },
      evidence: pieces.isEmpty ? "nothing was counted" : pieces.joined(separator: "; "))
  }

  /// More work takes longer: no optimiser has taken the bodies out.
  package static func bodies(_ growths: [WorkGrowth]) -> Certificate.Proof {
    let least = growths.min { $0.nanosecondsPerOperation < $1.nanosecondsPerOperation }
    let evidence = least.map {
      "\($0.benchmark) has the cheapest of \(growths.count): \($0.more.operations) operations took "
        + "\(text($0.more.nanoseconds)) ns and \($0.less.operations) took "
        + "\(text($0.less.nanoseconds)) ns, \(text($0.nanosecondsPerOperation)) ns for each more"
    }
    return Certificate.Proof(
      name: "bodies", holds: !growths.isEmpty && growths.allSatisfy(\.isPlausible),
      evidence: evidence ?? "no workload has two sizes")
  }

  /// Every iteration gave the answer of the serial reference, which reads back what bodies marked.
  ///
  /// - Parameters:
  ///   - iterations: those that were checked.
  ///   - failures: what failed instead, a line each.
  package static func answers(iterations: Int, failures: [String]) -> Certificate.Proof {
    guard let first = failures.first else {
      return Certificate.Proof(
        name: "answers", holds: iterations > 0,
        evidence: "\(iterations) iterations gave the answer of the serial reference")
    }
    let rest = failures.count - 1
    return failed("answers", first, more: rest)
  }

  /// It could not be tried; why.
  static func failed(_ name: String, _ why: String, more: Int = 0) -> Certificate.Proof {
    // Evidence is one line.
    let line = why.split(whereSeparator: \.isNewline).first.map(String.init) ?? "it failed"
    return Certificate.Proof(
      name: name, holds: false, evidence: line + (more > 0 ? "; and \(more) more" : ""))
  }

  /// The same program on both sides is not called slower or faster, and not more often different
  /// than chance allows.
  ///
  /// With equal sides it fails for one machine in a thousand by the first and fewer by the second.
  package static func equalSides(_ alarms: Certificate.Alarms?) -> Certificate.Proof {
    guard let alarms else {
      return Certificate.Proof(
        name: "equal-sides", holds: false, evidence: "too few pairs for any comparison")
    }
    let chance = binomialTail(alarms.belowFivePercent, of: alarms.comparisons, rate: 0.05)
    let verdicts = binomialTail(alarms.verdicts, of: alarms.comparisons, rate: 0.005)
    return Certificate.Proof(
      name: "equal-sides", holds: chance >= 0.001 && verdicts >= 0.001,
      evidence: "of \(alarms.comparisons) comparisons of this program with itself "
        + "\(alarms.belowFivePercent) had p below 0.05 and \(alarms.verdicts) ended as slower or "
        + "faster")
  }

  /// The probability of so many or more successes.
  static func binomialTail(_ successes: Int, of cases: Int, rate: Double) -> Double {
    guard successes > 0 else { return 1 }
    let all = Double(cases)
    let logs = (successes...max(successes, cases)).map { count -> Double in
      let found = Double(count)
      let choices: Double = lgamma(all + 1) - lgamma(found + 1) - lgamma(all - found + 1)
      return choices + found * log(rate) + (all - found) * log1p(-rate)
    }
    return min(1, logs.reduce(0) { $0 + exp($1) })
  }

  private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// What a workload took at two sizes.
package struct WorkGrowth: Sendable, Hashable {
  /// One size.
  package struct Size: Sendable, Hashable {
    package let operations: Int
    /// The shortest iteration.
    package let nanoseconds: Double

    package init(operations: Int, nanoseconds: Double) {
      self.operations = operations
      self.nanoseconds = nanoseconds
    }
  }

  package let benchmark: String
  package let less: Size
  /// More operations than `less`.
  package let more: Size

  package init(benchmark: String, less: Size, more: Size) {
    self.benchmark = benchmark
    self.less = less
    self.more = more
  }

  /// An operation that is handed over, run and finished takes longer than that on any machine.
  static let leastNanoseconds = 1.0

  /// What each further operation took.
  package var nanosecondsPerOperation: Double {
    (more.nanoseconds - less.nanoseconds) / Double(more.operations - less.operations)
  }

  /// Whether bodies can have run.
  package var isPlausible: Bool { nanosecondsPerOperation >= Self.leastNanoseconds }
}
