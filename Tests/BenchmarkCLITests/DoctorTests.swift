// SPDX-License-Identifier: Apache-2.0

import Foundation
import MeasurementFixtures
import Testing

@testable import BenchmarkCLI

@Suite("bench doctor") struct DoctorTests {
  private func run(_ words: [String]) -> (code: ExitCode, out: String, talk: String) {
    var out = ""
    var talk = ""
    let tool = CommandLineTool(
      suite: Fixtures.suite, environment: [:],
      console: Console(
        out: { out += $0 }, talk: { talk += $0 }, outIsTerminal: false, talkIsTerminal: false))
    let code = tool.run(words)
    return (code, out, talk)
  }

  @Test func everyCheckIsInTheTextAndInTheJSON() throws {
    let result = run(["doctor", "--format", "json"])
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.out.utf8)) as? [String: Any])
    let checks = try #require(object["checks"] as? [[String: Any]])
    let count = try #require(object["findings"] as? Int)
    #expect(result.code == (count == 0 ? .success : .findings))
    let findings = checks.flatMap { $0["findings"] as? [[String: String]] ?? [] }
    #expect(findings.count == count)
    for finding in findings {
      #expect(Set(finding.keys) == ["severity", "title", "found", "effect", "remedy"])
      #expect(finding.values.allSatisfy { !$0.isEmpty })
    }
    let measured = try #require(object["measured"] as? [String: Any])
    #expect(try #require(measured["clock_cost_ns"] as? Double) > 0)
    let text = run(["doctor"]).out
    let list = try #require(text.range(of: "looked at\n"))
    for check in checks {
      let subject = try #require(check["subject"] as? String)
      #expect(text[list.upperBound...].contains("\n  \(subject) ") || subject == "build")
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= HelpText.width + 60 })
  }

  @Test func moreCPUsThanThereAreIsAUsageError() {
    let result = run(["doctor", "--cpus", "1024"])
    #expect(result.code == .usage)
    #expect(result.talk.hasPrefix("bench: --cpus: 1024 CPUs asked for"))
  }
}
