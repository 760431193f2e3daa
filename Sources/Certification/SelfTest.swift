// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine
package import Measurement
package import Results
internal import Statistics

/// Tests a machine as an instrument, and makes its certificate.
///
/// Nothing is written; whoever asked for it stores what it returns. One thread.
package struct SelfTest {
  /// What is about to happen, for whoever shows the progress.
  package enum Event {
    /// A probe by its name.
    case probing(String)
    /// A step of the pairs.
    case comparing(ComparisonDriver.Event)
  }

  /// Who is certified.
  package struct Subject: Sendable {
    package let identity: RunIdentity
    package let code: CodeIdentity

    package init(identity: RunIdentity, code: CodeIdentity) {
      self.identity = identity
      self.code = code
    }
  }

  /// Allocations that prove the counter: one more is counted as one more.
  package static let provenAllocations = [10_000, 10_001]

  private let plan: SelfTestPlan
  private let subject: Subject
  private let instruments: SelfTestInstruments
  private let observe: (Event) -> Void

  /// - Parameters:
  ///   - plan: what to measure.
  ///   - subject: who is certified.
  ///   - instruments: what it is measured with.
  ///   - observe: told about every step.
  package init(
    plan: SelfTestPlan, subject: Subject, instruments: SelfTestInstruments,
    observe: @escaping (Event) -> Void = { _ in }
  ) {
    self.plan = plan
    self.subject = subject
    self.instruments = instruments
    self.observe = observe
  }

  /// Tests everything; minutes.
  ///
  /// - Throws: `interrupted`, and then there is no certificate. What else fails is a proof that
  ///   does
  ///   not hold.
  package func run() throws(MeasurementFailure) -> Certificate {
    observe(.probing("clock and threads"))
    let figures = instruments.figures()
    var proofs = [Proofs.clock(instruments.clock)]
    observe(.probing("counter of allocations"))
    proofs.append(try allocationCounter())
    observe(.probing("bodies"))
    proofs.append(try bodies())
    let record = instruments.pairs(plan.comparison) { observe(.comparing($0)) }
    guard !record.wasInterrupted else { throw .interrupted }
    let logRatios = self.logRatios(record)
    proofs.append(
      Proofs.answers(
        iterations: record.iterationCount,
        failures: zip(plan.comparison.groups, record.groups).compactMap { group, measured in
          measured.failure.map { "\(group.point.benchmark): \($0.failure)" }
        }))
    proofs.append(Proofs.equalSides(FalseAlarms.measured(logRatios)))
    return Certificate(
      time: subject.identity.time, machineID: subject.identity.machineID,
      commit: subject.code.commit, toolchain: subject.code.toolchain ?? BuildFacts.swiftVersion,
      clockCostNanoseconds: figures.clockCostNanoseconds,
      clockStepNanoseconds: Double(figures.clockStepNanoseconds),
      emptyBenchNanoseconds: Double(figures.emptyBenchNanoseconds),
      wakeUpNanoseconds: figures.wakeUpNanoseconds.map(Double.init), proofs: proofs,
      alarms: FalseAlarms.exchanged(logRatios, seed: plan.comparison.seed),
      workloads: workloads(logRatios))
  }

  // MARK: - Probes

  private func allocationCounter() throws(MeasurementFailure) -> Certificate.Proof {
    var counts: [(asked: Int, counted: Int)] = []
    for asked in Self.provenAllocations {
      do throws(MeasurementFailure) {
        counts.append((asked, try instruments.countAllocations(asked)))
      } catch .interrupted { throw .interrupted } catch {
        return Proofs.failed("allocation-counter", "\(error)")
      }
    }
    return Proofs.allocationCounter(counts)
  }

  /// Cost against size; a workload whose cost seems not to grow is tried three times, since only
  /// the shortest iterations count.
  private func bodies() throws(MeasurementFailure) -> Certificate.Proof {
    var growths: [WorkGrowth] = []
    for growth in plan.growths {
      do throws(MeasurementFailure) {
        var found = try grown(growth)
        for _ in 0..<2 where found.map({ !$0.isPlausible }) ?? false { found = try grown(growth) }
        if let found { growths.append(found) }
      } catch .interrupted { throw .interrupted } catch {
        return Proofs.failed("bodies", "\(growth.benchmark): \(error)")
      }
    }
    return Proofs.bodies(growths)
  }

  /// Nil where the sizes have as many operations.
  private func grown(_ growth: SelfTestPlan.Growth) throws(MeasurementFailure) -> WorkGrowth? {
    let less = try instruments.time(growth.less)
    let more = try instruments.time(growth.more)
    guard more.operations > less.operations else { return nil }
    return WorkGrowth(benchmark: growth.benchmark, less: less, more: more)
  }

  // MARK: - Pairs

  /// Those of every group, by what its workload is about.
  private func logRatios(_ record: ComparisonRecord) -> [[Double]] {
    record.groups.enumerated().map { index, group in
      group.pairs.compactMap {
        $0.logRatio(1, plan.comparison.groups[index].point.primaryMetric)
      }
    }
  }

  private func workloads(_ logRatios: [[Double]]) -> [Certificate.Workload] {
    zip(plan.comparison.groups, logRatios).compactMap { group, pairs in
      guard !pairs.isEmpty, let detectable = DetectableEffect.reckoned(fromPairs: pairs) else {
        return nil
      }
      let contestant = group.point.contestants[0]
      return Certificate.Workload(
        benchmark: group.point.benchmark, params: group.point.rowParameters(of: contestant),
        scheduler: contestant.name, pairing: .lockStep, pairs: pairs.count,
        detectable: detectable)
    }
  }
}
