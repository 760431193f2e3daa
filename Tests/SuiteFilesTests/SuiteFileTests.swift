// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SuiteFiles

/// What a suite's file says, and what is said of one that is wrong.
struct SuiteFileTests {
  private func file(_ text: String) throws(SuiteFileError) -> SuiteFile {
    try SuiteFile(Array(text.utf8), name: "mine.json")
  }

  private func failure(_ text: String) -> SuiteFileError? {
    do throws(SuiteFileError) {
      _ = try file(text)
      return nil
    } catch { return error }
  }

  @Test func everyMemberIsRead() throws {
    let suite = try file(
      """
      {
        "summary": "mine", "expected": "2m", "workloads": ["chain", "fan"],
        "options": { "workers": [1, "2"], "quick": true, "budget": "30s", "processes": 6 }
      }
      """)
    #expect(suite.name == "mine.json" && suite.summary == "mine" && suite.expected == "2m")
    #expect(suite.workloads == ["chain", "fan"])
    #expect(
      suite.options == [
        .init(name: "budget", values: ["30s"]), .init(name: "processes", values: ["6"]),
        .init(name: "quick", values: nil), .init(name: "workers", values: ["1", "2"]),
      ])
  }

  @Test func workloadsAndOptionsMayBeMissing() throws {
    let suite = try file(#"{"summary": "s", "expected": "1s"}"#)
    #expect(suite.workloads.isEmpty && suite.options.isEmpty)
  }

  @Test(arguments: [
    (#"{"expected": "1s"}"#, "mine.json: summary", "it is missing"),
    (#"{"summary": 3, "expected": "1s"}"#, "mine.json: summary", "it is no text"),
    (#"{"summary": "s"}"#, "mine.json: expected", "it is missing"),
    (#"{"summary": "s", "expected": "1s", "option": {}}"#, "mine.json: option", "no suite has"),
    (#"{"summary": "s", "expected": "1s", "options": []}"#, "mine.json: options", "no object"),
    (
      #"{"summary": "s", "expected": "1s", "options": {"quick": false}}"#,
      "mine.json: options.quick", "false turns nothing off"
    ),
    (
      #"{"summary": "s", "expected": "1s", "options": {"where": ["n=1", {}]}}"#,
      "mine.json: options.where[1]", "neither a text nor a number"
    ),
    (
      #"{"summary": "s", "expected": "1s", "workloads": {"chain": 1}}"#,
      "mine.json: workloads", "neither a text"
    ),
    (
      #"{"summary": "s", "expected": "1s", "options": {"budget": 1.5}}"#,
      "mine.json: options.budget", "no option takes"
    ),
    ("[]", "mine.json", ""),
    ("{\n  \"summary\": \"s\",\n  oops\n}", "mine.json: line 3", ""),
    ("", "mine.json", ""),
  ])
  func whatIsWrongIsNamedWithItsPlace(text: String, place: String, finding: String) throws {
    let error = try #require(failure(text))
    #expect(error.place == place)
    #expect(finding.isEmpty || error.finding.contains(finding), "\(error)")
    #expect(!error.expectation.isEmpty)
  }
}
