// SPDX-License-Identifier: Apache-2.0

import Gate
import Results
import Testing

@testable import BenchmarkCLI

/// What the certificate of a machine does to a gate.
@Suite struct GateNoiseTests {
  private static func certificate(
    _ workloads: [Certificate.Workload], holds: Bool = true
  ) throws -> Certificate {
    Certificate(
      time: Timestamp(unixSeconds: 1_769_860_800),
      machineID: try #require(MachineID(text: "h:00000000000000aa")), commit: nil,
      toolchain: "Swift 6.3.1", clockCostNanoseconds: 20, clockStepNanoseconds: 1,
      emptyBenchNanoseconds: 30, wakeUpNanoseconds: nil,
      proofs: [.init(name: "allocations", holds: holds, evidence: "counted 3 of 4")], alarms: nil,
      workloads: workloads)
  }

  private static func workload(
    _ benchmark: String, _ pairing: Certificate.Pairing, detectable: Double
  ) -> Certificate.Workload {
    .init(
      benchmark: benchmark, params: RowParameters([]), scheduler: "work-stealing",
      pairing: pairing, pairs: 40, detectable: detectable)
  }

  @Test func whatIsTooNoisyInTwoProcessesIsLeftOut() throws {
    let noise = GateNoise(
      standing: .valid(
        try Self.certificate([
          Self.workload("chain", .alternating, detectable: 0.01),
          Self.workload("chain", .lockStep, detectable: 0.09),
          Self.workload("fan", .lockStep, detectable: 0.04),
        ])))
    #expect(
      noise.exclusion(of: "chain", scheduler: "work-stealing") == .tooNoisy(detectable: 0.09))
    #expect(noise.exclusion(of: "fan", scheduler: "work-stealing") == nil)
    #expect(noise.exclusion(of: "cancel", scheduler: "work-stealing") == nil)
    try noise.check(place: "c.csv")
  }

  @Test func aCertificateThatDoesNotSpeakForThisMachineLeavesNothingOutAndSaysSo() throws {
    let certificate = try Self.certificate([Self.workload("chain", .lockStep, detectable: 0.5)])
    let standings: [(CertificateStanding, String)] = [
      (.none, "valid here"), (.old(certificate), "valid here"),
      (.foreign(certificate), "valid here"),
      (.unreadable("line 3"), "cannot be read: line 3"),
    ]
    #expect(GateNoise(standing: .valid(certificate)).note == nil)
    for (standing, words) in standings {
      let noise = GateNoise(standing: standing)
      #expect(noise.exclusion(of: "chain", scheduler: "work-stealing") == nil)
      let note = try #require(noise.note)
      #expect(note.contains(words) && note.hasPrefix("Nothing is left out as too noisy, since "))
      try noise.check(place: "c.csv")
    }
  }

  @Test func aMachineOnWhichAProofFailsIsNotGatedOn() throws {
    let noise = GateNoise(standing: .valid(try Self.certificate([], holds: false)))
    let failure = try #require(throws: ToolFailure.self) { try noise.check(place: "c.csv") }
    #expect(failure.code == .inconclusive && failure.place == "c.csv")
    #expect(failure.finding.contains("allocations") && failure.finding.contains("counted 3 of 4"))
  }
}
