// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results
internal import Statistics

/// Takes a plan through its groups, pair by pair, each until a look settles it.
///
/// How many looks a group has is fixed before its first pair, by what its calibration took and by
/// its share of the time that is left; what groups leave over is the next ones'. A pair is counted
/// when it is complete. A failure ends its group.
package struct ComparisonDriver {
  /// What happens during a comparison, for whoever shows its progress.
  package enum Event {
    /// A group is about to be calibrated.
    case calibrating(group: Int)
    /// A pair is about to be taken, counted from 1, with as many as the last look needs, and the
    /// time within which the group ends at the latest, in seconds.
    case pair(group: Int, pair: Int, of: Int, secondsLeft: Double)
    /// A group failed.
    case failed(group: Int, pair: Int, PairFailure)
  }

  /// How a group ended.
  private enum GroupEnd { case done, interrupted, outOfTime }

  let plan: ComparisonPlan
  let taker: (Int) -> any PairTaking
  let now: () -> UInt64
  let isInterrupted: () -> Bool
  let observe: (Event) -> Void

  /// - Parameters:
  ///   - plan: what to measure.
  ///   - taker: who takes the pairs of a group.
  ///   - now: a monotonic clock in nanoseconds.
  ///   - isInterrupted: asked before every pair.
  ///   - observe: told about every pair.
  package init(
    plan: ComparisonPlan, taker: @escaping (Int) -> any PairTaking,
    now: @escaping () -> UInt64 = { MonotonicClock.nanoseconds() },
    isInterrupted: @escaping () -> Bool = { false },
    observe: @escaping (Event) -> Void = { _ in }
  ) {
    self.plan = plan
    self.taker = taker
    self.now = now
    self.isInterrupted = isInterrupted
    self.observe = observe
  }

  /// Measures until every group is settled or has had its looks, the user interrupts, or the time
  /// is over.
  package func run() -> ComparisonRecord {
    var record = ComparisonRecord(plan: plan)
    var course = Course(start: now())
    for group in plan.groups.indices {
      switch measure(group, &course, into: &record) {
      case .done: continue
      case .interrupted: record.wasInterrupted = true
      case .outOfTime: record.ranOutOfTime = true
      }
      break
    }
    return record
  }

  /// Counts what is numbered over all groups.
  private struct Course {
    let start: UInt64
    var pairs = 0
    var processes = 0
  }

  private func seconds(since start: UInt64) -> Double { Double(now() - start) / 1e9 }

  private func measure(
    _ group: Int, _ course: inout Course, into record: inout ComparisonRecord
  ) -> GroupEnd {
    guard !isInterrupted() else { return .interrupted }
    if let most = plan.mostSeconds, seconds(since: course.start) > most { return .outOfTime }
    observe(.calibrating(group: group))
    var taker = taker(group)
    var pair = 0
    do throws(PairFailure) {
      let calibration = try taker.calibrate()
      let left = plan.budgetSeconds - seconds(since: course.start)
      let looks = plan.looks(
        pairSeconds: calibration.pairSeconds,
        within: left / Double(plan.groups.count - group))
      record.groups[group].calibration = calibration
      record.groups[group].looks = looks
      var open = Array(plan.groups[group].candidates)
      let last = looks.looks[looks.looks.count - 1]
      while pair < last, !open.isEmpty {
        guard !isInterrupted() else { return .interrupted }
        if let most = plan.mostSeconds, seconds(since: course.start) > most { return .outOfTime }
        pair += 1
        observe(
          .pair(
            group: group, pair: pair, of: last,
            secondsLeft: Double(last - pair + 1) * calibration.pairSeconds))
        let sides = try taker.take(pair: pair, sides: [0] + open, calibration: calibration)
        note(sides, of: group, &course, into: &record)
        guard looks.looks.contains(pair) else { continue }
        open = open.filter { !isSettled($0, of: group, looks, record.groups[group].pairs) }
      }
      return .done
    } catch {
      guard error.failure != .interrupted else { return .interrupted }
      record.groups[group].failure = error
      observe(.failed(group: group, pair: pair, error))
      return .done
    }
  }

  /// Takes a complete pair in.
  private func note(
    _ sides: [SideMeasurement], of group: Int, _ course: inout Course,
    into record: inout ComparisonRecord
  ) {
    course.pairs += 1
    let figures = sides.map { side in
      SideFigures(
        side: side.side, process: course.processes + side.process + 1,
        figures: ProcessFigures(ProcessRecord(round: course.pairs - 1, outcome: side.outcome)),
        involuntarySwitches: side.outcome.iterations.reduce(0) { $0 + $1.involuntarySwitches },
        disturbance: side.outcome.disturbance, elapsedNanoseconds: side.outcome.elapsedNanoseconds)
    }
    course.processes += (sides.map(\.process).max() ?? 0) + 1
    let first = sides.first?.outcome
    record.allocatorProof = record.allocatorProof ?? first?.allocatorProof
    record.jemallocEpochNanoseconds =
      record.jemallocEpochNanoseconds ?? first?.jemallocEpochNanoseconds
    record.groups[group].pairs.append(PairRecord(number: course.pairs, sides: figures))
  }

  /// Whether everything that is judged of a candidate has its verdict.
  private func isSettled(
    _ candidate: Int, of group: Int, _ looks: SequentialDesign, _ pairs: [PairRecord]
  ) -> Bool {
    func isSettled(_ key: FigureKey, _ limit: Double?, _ tolerance: Tolerance) -> Bool {
      let logRatios = pairs.compactMap { $0.logRatio(candidate, key, limit: limit) }
      // A pair without a figure would be missing at this look alone.
      guard logRatios.count == pairs.count else { return false }
      let comparison = PairedComparison(
        design: looks, members: plan.verdictCount, familyAlpha: plan.familyAlpha,
        tolerance: tolerance)
      return comparison.outcome(logRatios: logRatios).verdict != .inconclusive
    }
    return plan.judgedMetrics(of: group).allSatisfy {
      isSettled(FigureKey($0, .p50), nil, plan.tolerance(of: group))
    }
      && plan.groups[group].further.allSatisfy { figure in
        !pairs.contains { $0.has(figure.key, candidate) }
          || isSettled(figure.key, figure.limit, figure.tolerance)
      }
  }
}
