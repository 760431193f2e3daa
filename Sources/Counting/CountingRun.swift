// SPDX-License-Identifier: Apache-2.0

package import Gate
package import Harness
package import Measurement
package import Results

/// One case, counted and, where there is something to compare with, compared.
package struct CountedCase: Sendable {
  /// What was counted.
  package let planned: CountingCase
  /// What it cost; nil when it failed.
  package internal(set) var counts: CaseCounts?
  /// Why it failed.
  package internal(set) var failure: MeasurementFailure?
  /// True when it was the program to compare with that failed.
  package internal(set) var hasFailedBefore = false
  /// What it cost before.
  package internal(set) var before: OperationCounts?
  /// Where the instructions were before, where that is known.
  package internal(set) var functionsBefore: [String: Double]?
  /// The difference; nil when there is nothing to compare with.
  package internal(set) var comparison: CountsComparison?

  init(_ planned: CountingCase) { self.planned = planned }
}

/// What came of counting.
package struct CountingRecord: Sendable {
  /// Those that were reached, in the order of the plan.
  package internal(set) var cases: [CountedCase] = []
  /// True when the user ended it.
  package internal(set) var wasInterrupted = false
  /// What the counts of this machine depend on; nil before the first.
  package internal(set) var toolchain: String?
  /// What the counts of the program to compare with depend on; nil where there is none.
  ///
  /// Where it is another one, a difference may be the toolchain's.
  package internal(set) var toolchainBefore: String?
  /// True when the baseline has nothing of this toolchain, and nothing was counted for that reason.
  package internal(set) var isForeign = false

  /// Nothing reached yet.
  package init() {}
}

/// Counts the cases of a plan, as often as it takes to judge them.
package struct CountingRun {
  /// Counts once.
  package typealias Count = (Assignment) throws(MeasurementFailure) -> OperationCounter.Repetition

  /// What counts are compared with.
  package enum Reference {
    /// Nothing.
    case none
    /// What a file says. One that has nothing of this toolchain ends the run after the first count
    /// when it is `required`.
    case stored(CountsBaseline, required: Bool)
    /// Another program, counted beside this one.
    case program(Count)
  }

  /// Repetitions of every case.
  package static let usual = 2
  /// Repetitions of a case that is recorded, or seems to cost more than before.
  package static let careful = 5

  private let plan: CountingPlan
  private let count: Count
  private let reference: Reference
  private let repetitions: Int?
  private let least: Int
  private let observe: (CountingCase, _ done: Int) -> Void

  /// - Parameters:
  ///   - plan: what is counted.
  ///   - reference: what it is compared with.
  ///   - repetitions: of every case, whatever comes of it; nil for as many as it takes.
  ///   - isCareful: whether every case is worth `careful` repetitions.
  ///   - observe: told of every case before it is counted.
  ///   - count: counts once.
  package init(
    plan: CountingPlan, reference: Reference = .none, repetitions: Int? = nil,
    isCareful: Bool = false, observe: @escaping (CountingCase, _ done: Int) -> Void = { _, _ in },
    count: @escaping Count
  ) {
    self.plan = plan
    self.reference = reference
    self.repetitions = repetitions
    self.observe = observe
    self.count = count
    least = repetitions ?? (isCareful ? Self.careful : Self.usual)
  }

  /// Counts until everything is done or the user interrupts.
  package func run() -> CountingRecord {
    var record = CountingRecord()
    for planned in plan.cases {
      observe(planned, record.cases.count)
      var counted = CountedCase(planned)
      do throws(MeasurementFailure) {
        let first = try count(planned.assignment)
        record.toolchain = first.toolchain
        if case .stored(let baseline, required: true) = reference,
          baseline.rows(of: first.toolchain).isEmpty
        {
          record.isForeign = true
          return record
        }
        let before = try earlier(planned.assignment, &counted)
        record.toolchainBefore = before?.toolchain ?? record.toolchainBefore
        try complete(&counted, first, before)
      } catch .interrupted {
        record.wasInterrupted = true
        return record
      } catch { counted.failure = error }
      record.cases.append(counted)
    }
    return record
  }

  /// Counts a case once in the program to compare with; nil where there is none.
  private func earlier(
    _ assignment: Assignment, _ counted: inout CountedCase
  ) throws(MeasurementFailure) -> OperationCounter.Repetition? {
    guard case .program(let count) = reference else { return nil }
    do throws(MeasurementFailure) { return try count(assignment) } catch {
      counted.hasFailedBefore = true
      throw error
    }
  }

  /// Counts a case as often as it takes.
  private func complete(
    _ counted: inout CountedCase, _ first: OperationCounter.Repetition,
    _ firstBefore: OperationCounter.Repetition?
  ) throws(MeasurementFailure) {
    let assignment = counted.planned.assignment
    var after = CaseCounts(first)
    var before = firstBefore.map(CaseCounts.init)
    while true {
      let isDone = after.repetitions.count >= least
      if isDone {
        compare(&counted, after, before)
        let isClear = counted.comparison.map { $0.verdict < .noisy } ?? true
        if isClear || repetitions != nil || after.repetitions.count >= Self.careful { break }
      }
      after.add(try count(assignment))
      if let again = try earlier(assignment, &counted) { before?.add(again) }
    }
    counted.counts = after
  }

  private func compare(_ counted: inout CountedCase, _ after: CaseCounts, _ before: CaseCounts?) {
    switch reference {
    case .none: counted.before = nil
    case .stored(let baseline, _):
      counted.before =
        baseline.rows(of: after.toolchain).first { $0.key == counted.planned.key }?.counts
    case .program:
      counted.before = before?.counts
      counted.functionsBefore = before?.functions
    }
    counted.comparison = counted.before.map { CountsComparison(before: $0, after: after.counts) }
  }
}
