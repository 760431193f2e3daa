// SPDX-License-Identifier: Apache-2.0

import Foundation
import MeasurementFixtures
import Results
import Testing

@testable import BenchmarkCLI

@Suite("Certificates as they are shown") struct CertificateTextTests {
  private func certificate(holds: Bool = true, detectable: Double = 0.02) throws -> Certificate {
    Certificate(
      time: try #require(Timestamp(text: "2026-03-04T05:06:07Z")),
      machineID: try #require(MachineID(text: "h:0123456789abcdef")), commit: nil,
      toolchain: "6.3", clockCostNanoseconds: 25, clockStepNanoseconds: 1,
      emptyBenchNanoseconds: 60, wakeUpNanoseconds: 5000,
      proofs: [.init(name: "bodies", holds: holds, evidence: "what was seen")],
      alarms: .init(comparisons: 4000, belowFivePercent: 200, verdicts: 3),
      workloads: [
        .init(
          benchmark: "chain", params: RowParameters([("n", "10")]), scheduler: "inline",
          pairing: .lockStep, pairs: 20, detectable: detectable)
      ])
  }

  @Test func aReportNamesTheDayOrTheRemedy() throws {
    let sound = try certificate()
    #expect(CertificateText.line(.valid(sound)) == "certificate of 2026-03-04")
    #expect(
      CertificateText.line(.valid(try certificate(holds: false)))
        == "certificate of 2026-03-04: does not hold: bodies")
    #expect(CertificateText.line(.none) == "no certificate: run bench selftest")
    for standing in [
      CertificateStanding.old(sound), .foreign(sound), .unreadable("what is wrong"),
    ] {
      let line = CertificateText.line(standing)
      #expect(line.hasSuffix(": run bench selftest") && !line.contains("\n"), "\(line)")
    }
  }

  @Test func textSaysWhatHoldsAndWhatIsTooNoisy() throws {
    let sound = CertificateText(try certificate()).text(style: .plain)
    #expect(sound.hasPrefix("This machine can measure; 0 of 1 workloads are too noisy to gate.\n"))
    #expect(sound.contains("holds: what was seen") && sound.contains("5.00 % ("))
    let broken = CertificateText(try certificate(holds: false, detectable: 0.06))
      .text(style: .plain)
    #expect(broken.hasPrefix("This machine cannot gate: bodies; 1 of 1 workloads"))
    #expect(broken.contains("DOES NOT HOLD: what was seen") && broken.contains("too noisy\n"))
  }

  @Test func jsonHasEveryFigure() throws {
    let text = CertificateText(try certificate(holds: false, detectable: 0.06)).json
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["can_gate"] as? Bool == false)
    #expect(object["wakeup_cost_ns"] as? Double == 5000)
    let workloads = try #require(object["workloads"] as? [[String: Any]])
    #expect(workloads[0]["noisy"] as? Bool == true)
    #expect(workloads[0]["detectable"] as? Double == 0.06)
    let alarms = try #require(object["alarms"] as? [String: Int])
    #expect(alarms == ["comparisons": 4000, "below_5_percent": 200, "verdicts": 3])
  }
}
