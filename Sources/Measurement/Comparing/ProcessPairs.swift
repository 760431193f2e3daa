// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine
internal import Results

/// Takes pairs with builds that cannot be steered: each side is one `bench run` of its own build,
/// one after the other, in random order.
///
/// A side's figure is the median that its process wrote. The builds share the command line and the
/// time, and not the number of runs, so that the pairs spread wider than those of live children.
package struct ProcessPairs: PairTaking {
  private let plan: ComparisonPlan
  private let group: Int
  private let interrupt: InterruptFlag?
  private let changes: [String]
  private let disturbances = DisturbanceProbe()

  /// - Parameters:
  ///   - group: which group of the plan.
  ///   - interrupt: ends a step at once.
  ///   - changes: lines `KEY=VALUE` (set) or `KEY` (remove) for builds that cannot be steered.
  package init(
    plan: ComparisonPlan, group: Int, interrupt: InterruptFlag? = nil,
    changing changes: [String] = []
  ) {
    self.plan = plan
    self.group = group
    self.interrupt = interrupt
    self.changes = changes
  }

  package mutating func calibrate() throws(PairFailure) -> Calibration {
    let start = MonotonicClock.nanoseconds()
    let draws = plan.draws(group: group, pair: 0)
    for side in plan.groups[group].executables.indices { _ = try measure(side, draws) }
    let elapsed = Double(MonotonicClock.nanoseconds() - start) / 1e9
    return Calibration(runs: 1, samples: 1, pairSeconds: elapsed)
  }

  package mutating func take(
    pair: Int, sides: [Int], calibration: Calibration
  ) throws(PairFailure) -> [SideMeasurement] {
    var draws = plan.draws(group: group, pair: pair)
    let order = draws.order(of: sides)
    let before = disturbances.read()
    let begin = MonotonicClock.nanoseconds()
    var measured: [SideMeasurement] = []
    for (process, side) in order.enumerated() {
      measured.append(
        SideMeasurement(side: side, process: process, outcome: try measure(side, draws)))
    }
    let elapsed = MonotonicClock.nanoseconds() - begin
    let disturbance = disturbances.read().since(before)
    return measured.sorted { $0.side < $1.side }.map { measured in
      var whole = measured
      whole.outcome.disturbance = disturbance
      whole.outcome.elapsedNanoseconds = elapsed
      return whole
    }
  }

  /// Has a build measure a side, and reads what it wrote.
  private func measure(_ side: Int, _ draws: PairDraws) throws(PairFailure) -> MeasurementOutcome {
    // The command line of every version takes seeds below that.
    let command = RunCommand(plan, group: group, side: side, seed: draws.seed % 1_000_000)
    let run = ExternalProgram.run(
      command.words, environment: command.environment + changes, interrupt: interrupt)
    func fail(_ failure: MeasurementFailure) -> PairFailure { PairFailure(side: side, failure) }
    if run.isInterrupted || interrupt?.isRaised == true { throw fail(.interrupted) }
    guard run.code == 0 else {
      throw fail(.crashed(.exited(run.code), standardError: RunCommand.complaint(of: run)))
    }
    let rows: [ResultRow]
    do throws(CSVError) {
      rows = try CSV.decode(Array((run.output + "\n").utf8), path: command.words[0])
    } catch { throw fail(.crashed(.incomprehensible("\(error)"), standardError: "")) }
    let name = plan.groups[group].point.contestants[side].name
    var outcome = MeasurementOutcome()
    for row in rows where row.subject.scheduler == name && row.process == 1 {
      guard let value = row.value else { continue }
      if let iterations = row.iterationCount, let operations = row.operationCount,
        iterations > outcome.told?.iterations ?? 0
      {
        outcome.told = (iterations, operations)
      }
      switch (row.subject.metric, row.subject.statistic) {
      case (.peakRSS, .max): outcome.peakRSS = Int(exactly: value.rounded())
      case (let metric, .p50): outcome.metrics[metric] = [value]
      default: continue
      }
    }
    guard !outcome.metrics.isEmpty, outcome.told != nil else {
      throw fail(.crashed(.incomprehensible("no figure of \(name)"), standardError: ""))
    }
    return outcome
  }
}
