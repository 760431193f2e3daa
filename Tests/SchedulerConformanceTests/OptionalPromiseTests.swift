// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport
import Testing

/// What the kit says about a scheduler that is right and does without optional promises.
@Suite(.serialized) struct OptionalPromiseTests {
  private static let exceptions: [SchedulerConformance.Exception] = [
    .seam(.compensation, "a blocked job blocks its thread"),
    .seam(.help, "a job that waits runs no other"),
  ]

  /// The numbers decide what a check that runs with the usual number gets.
  @Test(arguments: [[1], [2], [1, 2, 8]])
  func whatRestsOnAnExceptionIsNotAskedFor(_ workers: [Int]) {
    var options = quietOptions
    options.workers = workers
    options.exceptions = Self.exceptions
    let report = SchedulerConformance.run(Self.onWaiting, options) { ConditionPool(workers: $0) }
    #expect(report.isPassing, "\(report)")
    let skipped = report.verdicts.filter { if case .skipped = $0.verdict { true } else { false } }
    #expect(skipped.map(\.statement) == [.seam(.compensation), .seam(.help)], "\(report)")
    #expect("\(report)".contains("checks that rest on it, of contract "), "\(report)")
  }

  @Test func whatRestsOnABrokenPromiseIsNotAskedFor() {
    var options = quietOptions
    options.workers = [1, 2]
    // Half of it is waited in vain, once.
    options.timeLimit = .seconds(6)
    let report = SchedulerConformance.run(Self.onWaiting, options) { ConditionPool(workers: $0) }
    let failed = report.verdicts.filter { if case .failed = $0.verdict { true } else { false } }
    #expect(failed.map(\.statement) == [.seam(.compensation), .seam(.help)], "\(report)")
    #expect(report.findings(.seam(.compensation))?.count == 1, "\(report)")
    let text = "\(report)"
    #expect(
      text.contains("or declare options.exceptions += [.seam(.compensation, \"why\")])"), "\(text)")
    #expect(text.contains("  skipped with it: "), "\(text)")
    #expect(!text.contains("not run"), "\(text)")
  }

  @Test func hungChecksOfOptionalPromisesDoNotEndTheRun() {
    let gate = Turnstile()
    let stuck = SchedulerConformance.Promise.allCases.filter(\.isOptional).flatMap { promise in
      ["first", "second"].map { number in
        var check = Check("\(number)Of\(promise)", .seam(promise)) { _ in gate.wait() }
        check.timeLimit = .milliseconds(50)
        return check
      }
    }
    #expect(stuck.count / 2 >= SchedulerConformance.hungLimit)
    let resting = Check("restsOnIt", .contract(1), needs: [.compensation]) { _ in gate.wait() }
    let later = Check("comesLater", .contract(2)) { _ in }
    let report = SchedulerConformance.run(stuck + [resting, later], quietOptions) {
      ConditionPool(workers: $0)
    }
    for _ in stuck { gate.signal() }
    #expect(report.findings(.seam(.compensation))?.count == 1, "\(report)")
    #expect(report[.contract(1)] == .skipped("rests on .compensation, which does not hold"))
    #expect(report[.contract(2)] == .passed, "\(report)")
    #expect("\(report)".contains("  skipped with it: 1 check that rests on it, of contract 1\n"))
  }

  @Test func onlyWhatIsNamedIsExcused() {
    let checks = [
      Check("showsBoth", .contract(14, 40)) { trial in trial.expect(false, "true") },
      Check("showsThree", .contract(39, 40, 41)) { _ in },
      Check("showsOne", .contract(39)) { _ in },
      Check("needsOrder", .contract(88), needs: [.exactOrder]) { _ in },
    ]
    var options = quietOptions
    options.exceptions = [
      .contract(40, "not here"), .contract(41, "nor this"), .seam(.exactOrder, "no order"),
    ]
    let report = SchedulerConformance.run(checks, options) { ConditionPool(workers: $0) }
    #expect(report[.contract(40)] == .skipped("not here"))
    #expect(report[.contract(41)] == .skipped("nor this"))
    #expect(
      report[.contract(14)]
        == .skipped("only shown by a check of contract 40, which is excepted"))
    #expect(report[.contract(39)] == .passed)
    #expect(
      report[.contract(88)] == .skipped("rests on .exactOrder, which is excepted: no order"))
    #expect(report.isPassing, "\(report)")
  }

  /// The checks of both promises and of every statement that a check shows which rests on one of
  /// them.
  private static let onWaiting: [Check] = {
    let own: [SchedulerConformance.Statement] = [.seam(.compensation), .seam(.help)]
    let shown =
      own + [.contract(14), .contract(39), .contract(40), .contract(57)]
      + [.contract(62), .contract(101), .contract(102)]
    return (Check.seam + Check.operations).filter { !Set($0.statements).isDisjoint(with: shown) }
  }()

  private var quietOptions: SchedulerConformance.Options {
    var options = SchedulerConformance.Options()
    options.writesProgress = false
    return options
  }
}
