// SPDX-License-Identifier: Apache-2.0

import Harness
import Machine
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import Certification

@Suite("Self-test of a machine") struct SelfTestTests {
  private let plan: SelfTestPlan

  init() throws {
    plan = try SelfTestPlan(suite: Fixtures.suite, isFull: false, seed: 1, cpuCount: 2)
  }

  /// Instruments of a machine on which everything holds.
  private var sound: SelfTestInstruments {
    var now: UInt64 = 0
    return SelfTestInstruments(
      figures: {
        MachineFigures(
          clockCostNanoseconds: 25, clockStepNanoseconds: 1, emptyBenchNanoseconds: 60,
          wakeUpNanoseconds: 5000, twoThreadSpeedup: 2)
      },
      clock: {
        now += 1
        return now
      },
      countAllocations: { $0 },
      time: { assignment in
        let operations = assignment.parameters.entries.reduce(1) { $0 * ($1.value.number ?? 1) }
        return .init(operations: operations, nanoseconds: Double(1000 + 50 * operations))
      },
      pairs: { plan, _ in Fixtures.record(plan, .steady([1])) })
  }

  private func certificate(
    _ change: (inout SelfTestInstruments) -> Void = { _ in }
  ) throws -> Certificate {
    var instruments = sound
    change(&instruments)
    let identity = RunIdentity(
      time: Timestamp(unixSeconds: 1_000_000), runID: RunID(unixMilliseconds: 1),
      machineID: try #require(MachineID(text: "h:0123456789abcdef")))
    return try SelfTest(
      plan: plan, subject: .init(identity: identity, code: CodeIdentity(toolchain: "6.3")),
      instruments: instruments
    ).run()
  }

  private func broken(_ certificate: Certificate) -> [String] {
    certificate.proofs.filter { !$0.holds }.map(\.name)
  }

  @Test func aSoundMachineCanGate() throws {
    let certificate = try certificate()
    #expect(certificate.canGate, "\(certificate.proofs)")
    #expect(
      certificate.proofs.map(\.name) == [
        "clock", "allocation-counter", "bodies", "answers", "equal-sides",
      ])
    // Two workloads on three schedulers, with noise of 0.2 % at most; the third has no figure here.
    #expect(certificate.workloads.count == 6)
    #expect(certificate.workloads.allSatisfy { $0.pairing == .lockStep && $0.pairs >= 10 })
    #expect(certificate.workloads.allSatisfy { $0.detectable > 0 && $0.detectable < 0.003 })
    #expect(certificate.wakeUpNanoseconds == 5000)
    let again = try Certificate(csv: certificate.csv, path: "certificate")
    #expect(again == certificate)
  }

  @Test func aPlantedAllocationIsFound() throws {
    let certificate = try certificate { $0.countAllocations = { $0 + 1 } }
    #expect(broken(certificate) == ["allocation-counter"])
  }

  @Test func aCounterThatCannotBeAskedIsNoProof() throws {
    let certificate = try certificate {
      $0.countAllocations = { _ throws(MeasurementFailure) in
        throw .unavailable(reason: "allocation-counter", detail: "no jemalloc")
      }
    }
    #expect(broken(certificate) == ["allocation-counter"])
    #expect(certificate.proofs[1].evidence.contains("no jemalloc"))
  }

  @Test func anEmptiedBodyIsFound() throws {
    let certificate = try certificate {
      $0.time = { assignment in
        let operations = assignment.parameters.entries.reduce(1) { $0 * ($1.value.number ?? 1) }
        return .init(operations: operations, nanoseconds: 1000)
      }
    }
    #expect(broken(certificate) == ["bodies"])
  }

  @Test func aSideThatIsSlowerIsFound() throws {
    let certificate = try certificate {
      $0.pairs = { plan, _ in Fixtures.record(plan, .steady([1.05])) }
    }
    #expect(broken(certificate) == ["equal-sides"])
  }

  @Test func aWorkloadThatFailsIsNamed() throws {
    let certificate = try certificate {
      $0.pairs = { plan, _ in
        Fixtures.record(
          plan, FakePairs { _, side in throw PairFailure(side: side, .wrongAnswer("3, not 4")) })
      }
    }
    #expect(broken(certificate) == ["answers", "equal-sides"])
    #expect(certificate.proofs[3].evidence.contains("3, not 4"))
    #expect(certificate.workloads.isEmpty && certificate.alarms == nil)
  }

  @Test func anInterruptMakesNoCertificate() throws {
    let failure = #expect(throws: MeasurementFailure.self) {
      try certificate {
        $0.pairs = { plan, _ in
          var record = Fixtures.record(plan, .steady([1]))
          record.wasInterrupted = true
          return record
        }
      }
    }
    #expect(failure == .interrupted)
  }

  @Test func everythingIsWhatFullAsksFor() throws {
    let full = try SelfTestPlan(suite: Fixtures.suite, isFull: true, seed: 1, cpuCount: 2)
    #expect(full.comparison.groups.count >= plan.comparison.groups.count)
    #expect(full.seconds > plan.seconds)
    #expect(plan.seconds < 180)
  }
}

@Suite("Alarms of equal sides") struct FalseAlarmTests {
  /// Noise of no order: the same every time.
  private func noise(_ count: Int, size: Double) -> [Double] {
    (0..<count).map { size * (Double(($0 * 7919 + 13) % 101) / 50 - 1) }
  }

  @Test(arguments: [10, 40]) func exchangedSidesDifferByChanceAlone(pairs: Int) throws {
    // Sides that are not equal: exchanging them makes them so.
    let biased = noise(pairs, size: 0.01).map { $0 + 0.05 }
    let alarms = try #require(FalseAlarms.exchanged([biased], seed: 5, comparisons: 4000))
    #expect(alarms.comparisons == 4000)
    let rate = Double(alarms.belowFivePercent) / 4000
    #expect((0.03...0.06).contains(rate), "\(rate)")
    #expect(Double(alarms.verdicts) / 4000 <= 0.01, "\(alarms.verdicts)")
    let again = (0..<2).map { _ in FalseAlarms.exchanged([biased], seed: 5, comparisons: 100) }
    #expect(again[0] != nil && again[0] == again[1])
  }

  @Test func asMeasuredTheyDoNot() {
    let biased = noise(20, size: 0.01).map { $0 + 0.05 }
    let alarms = FalseAlarms.measured([biased, noise(20, size: 0.01)])
    #expect(alarms == .init(comparisons: 2, belowFivePercent: 1, verdicts: 1))
  }

  @Test func tooFewPairsAreNoComparison() {
    #expect(FalseAlarms.measured([noise(5, size: 0.01)]) == nil)
    #expect(FalseAlarms.exchanged([noise(5, size: 0.01)], seed: 1) == nil)
  }

  @Test func whatFortyPairsShowIsReckonedFromFewer() throws {
    let few = noise(10, size: 0.02)
    let fromFew = try #require(DetectableEffect.reckoned(fromPairs: few))
    let fromMany = try #require(DetectableEffect.reckoned(fromPairs: few + few + few + few))
    #expect(abs(fromFew / fromMany - 1) < 0.3, "\(fromFew) \(fromMany)")
    let noisier = try #require(DetectableEffect.reckoned(fromPairs: noise(10, size: 0.2)))
    #expect(noisier > 5 * fromFew)
    #expect(DetectableEffect.reckoned(fromPairs: noise(5, size: 0.02)) == nil)
  }
}
