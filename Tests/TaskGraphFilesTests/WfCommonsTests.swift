// SPDX-License-Identifier: Apache-2.0

import TaskGraphFiles
import Testing

@Suite struct WfCommonsTests {
  private static let diamond = workflow(
    """
    {"id": "a", "parents": [], "children": ["b"]}, {"id": "b", "parents": ["a", "a"]},
    {"parents": ["a"], "id": "c"}, {"id": "d", "parents": ["b", "c"], "files": [{"x": [1, null, -2.5e+3, {}, []]}]}
    """,
    """
    {"id": "d", "runtimeInSeconds": 0.25}, {"id": "c", "runtimeInSeconds": 2e0},
    {"runtimeInSeconds": 0, "id": "b"}, {"id": "a", "runtimeInSeconds": 1}
    """)

  @Test func tasksParentsAndDurationsAreJoinedByID() throws {
    let graph = try readWorkflow(Self.diamond)
    #expect(graph.name == "w")
    #expect(graph.tasks.map(\.name) == ["a", "b", "c", "d"])
    #expect(
      graph.tasks.map(\.durationNanoseconds) == [1_000_000_000, 0, 2_000_000_000, 250_000_000])
    #expect(graph.tasks.map(\.parents) == [[], [0], [0], [1, 2]])
    #expect(graph.totalWorkNanoseconds == 3_250_000_000)
    #expect(graph.criticalPathNanoseconds == 3_250_000_000)
    #expect(graph.notes.isEmpty)
  }

  @Test func executionMayComeFirstAndVersionLast() throws {
    let graph = try readWorkflow(
      """
      {"workflow": {"execution": {"tasks": [{"id": "a", "runtimeInSeconds": 1}, {"id": "x", "runtimeInSeconds": 1}]},
      "specification": {"tasks": [{"id": "a", "parents": []}]}}, "schemaVersion": "1.5"}
      """)
    #expect(graph.tasks.count == 1)
    #expect(graph.name == "w")
    #expect(graph.notes.count == 1)
  }

  @Test func escapesInIDsAreResolved() throws {
    let graph = try readWorkflow(
      workflow(
        #"{"id": "\u0061\u00e9\ud83d\ude00\n\"\\\/", "parents": []}, {"id": "b", "\u0070arents": ["aé😀\n\"\\/"]}"#,
        #"{"id": "aé\uD83D\uDE00\n\"\\/", "runtimeInSeconds": 1}, {"id": "b", "runtimeInSeconds": 1}"#
      ))
    #expect(graph.tasks[0].name == "aé😀\n\"\\/")
    #expect(graph.tasks[1].parents == [0])
  }

  @Test func idsThatDifferOnlyInNormalisationStayApart() throws {
    let graph = try readWorkflow(
      workflow(
        "{\"id\": \"\u{E9}\", \"parents\": []}, {\"id\": \"e\u{301}\", \"parents\": [\"\u{E9}\"]}",
        "{\"id\": \"\u{E9}\", \"runtimeInSeconds\": 1}, {\"id\": \"e\u{301}\", \"runtimeInSeconds\": 2}"
      ))
    #expect(graph.tasks.count == 2)
    #expect(graph.tasks[1].parents == [0])
  }

  /// Content that is wrong, and the coding path that must be named.
  @Test(arguments: [
    (
      #"{"id": "a", "parents": ["z"]}"#, #"{"id": "a", "runtimeInSeconds": 1}"#,
      "workflow.specification.tasks[0].parents[0]", "`z` is no task"
    ),
    (
      #"{"id": "a", "parents": []}, {"id": "a", "parents": []}"#,
      #"{"id": "a", "runtimeInSeconds": 1}"#,
      "workflow.specification.tasks[1]", "duplicate"
    ),
    (
      #"{"id": "a", "parents": []}"#,
      #"{"id": "a", "runtimeInSeconds": 1}, {"id": "a", "runtimeInSeconds": 1}"#,
      "workflow.execution.tasks[1]", "duplicate"
    ),
    (
      #"{"id": "a", "parents": []}"#, "", "workflow.specification.tasks[0]",
      "no entry in workflow.execution.tasks"
    ),
    (
      #"{"id": "a", "parents": []}"#, #"{"id": "a"}"#, "workflow.execution.tasks[0]",
      "`runtimeInSeconds` is missing"
    ),
    (
      #"{"id": "a", "parents": []}"#, #"{"id": "a", "runtimeInSeconds": -1}"#,
      "workflow.execution.tasks[0].runtimeInSeconds", "negative"
    ),
    (
      #"{"id": "a", "parents": []}"#, #"{"id": "a", "runtimeInSeconds": 1e999}"#,
      "workflow.execution.tasks[0].runtimeInSeconds", "infinite"
    ),
    (
      #"{"id": "a", "parents": []}"#, #"{"id": "a", "runtimeInSeconds": "1"}"#,
      "workflow.execution.tasks[0].runtimeInSeconds", "found `\"`"
    ),
    (
      #"{"id": "a", "parents": []}"#, #"{"id": "a", "runtimeInSeconds": 1e10}"#,
      "workflow.execution.tasks[0].runtimeInSeconds", "285 years"
    ),
    (
      #"{"id": "a"}"#, #"{"id": "a", "runtimeInSeconds": 1}"#, "workflow.specification.tasks[0]",
      "`parents` is missing"
    ),
    (#"{"parents": []}"#, "", "workflow.specification.tasks[0]", "`id` is missing"),
    (#"{"id": 3, "parents": []}"#, "", "workflow.specification.tasks[0].id", "found `3`"),
    (
      #"{"id": "a", "parents": [null]}"#, "", "workflow.specification.tasks[0].parents[0]",
      "found `n`"
    ),
    (#"{"id": "a", "parents": [], "parents": []}"#, "", "workflow.specification.tasks[0]", "twice"),
    ("7", "", "workflow.specification.tasks[0]", "found `7`"),
  ])
  func wrongContentIsNamedByItsCodingPath(
    specification: String, execution: String, path: String, finding: String
  ) throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in try readWorkflow(workflow(specification, execution)) })
    #expect(error.codingPath == path)
    #expect(error.finding.contains(finding))
  }

  @Test(arguments: ["NaN", "Infinity", "-Infinity"])
  func nonFiniteLiteralsAreNamedWithTheirPlace(literal: String) throws {
    let text = workflow(
      #"{"id": "a", "parents": []}"#, #"{"id": "a", "runtimeInSeconds": \#(literal)}"#)
    let error = try #require(failure { () throws(TaskGraphError) in try readWorkflow(text) })
    #expect(error.line == 3)
    #expect(error.codingPath == "workflow.execution.tasks[0].runtimeInSeconds")
    #expect(error.finding.contains("NaN or infinite"))
    let unread = text.replacing("\"runtimeInSeconds\"", with: "\"runtimeInSeconds\": 1, \"avgCPU\"")
    #expect(
      failure { () throws(TaskGraphError) in try readWorkflow(unread) }?.finding == error.finding)
  }

  @Test(arguments: ["\"1.4\"", "1.5", "null"])
  func anotherVersionIsNamedBeforeAnythingElse(version: String) throws {
    let text = workflow("{}", "{}", version: version)
    let error = try #require(failure { () throws(TaskGraphError) in try readWorkflow(text) })
    #expect(error.codingPath == "schemaVersion")
    #expect(error.expectation == "\"1.5\"")
  }

  @Test func everyTruncationFailsWithAPlace() throws {
    let bytes = Array(Self.diamond.utf8)
    for length in 0..<bytes.count {
      let error = try #require(
        failure { () throws(TaskGraphError) in
          try TaskGraphFile.parse(Array(bytes.prefix(length)), format: .wfcommons, path: "w.json")
        }, "\(length) bytes")
      #expect(error.line != nil && error.column != nil)
    }
  }

  /// Syntax errors and where they are.
  @Test(arguments: [
    ("{\"a\": 1,}", 1, 9), ("{\n  \"é\": [1,\n2,]}", 3, 3), ("[]", 1, 1), ("{} x", 1, 4),
    ("{\"a\": 01}", 1, 8),
    ("{\"a\": \"\\x\"}", 1, 9), ("{\"a\": \"\\ud800\"}", 1, 8), ("{\"a\": \"b\nc\"}", 1, 9),
    ("{\"a\" 1}", 1, 6),
    ("{\"a\": tru}", 1, 10), ("{\"a\": 1.}", 1, 9), ("{\"a\": 1e}", 1, 9), ("nonsense", 1, 1),
    ("{\"a\": [}", 1, 8),
    ("{\"a\": {\"b\"]}", 1, 11), ("{\"a\": \"\\u12g4\"}", 1, 12),
  ])
  func syntaxErrorsHaveLineAndColumn(text: String, line: Int, column: Int) throws {
    let error = try #require(failure { () throws(TaskGraphError) in try readWorkflow(text) })
    #expect(error.line == line)
    #expect(error.column == column)
    #expect(error.description.hasPrefix("w.json:\(line):\(column): "))
  }

  @Test func invalidUTF8IsNamedByItsByte() throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try TaskGraphFile.parse(
          Array("{\n \"".utf8) + [0xFF, 0x22], format: .wfcommons, path: "w.json")
      })
    #expect(error.line == 2)
    #expect(error.column == 3)
    #expect(error.finding.contains("0xFF"))
  }

  @Test(arguments: ["[", "{\"a\":"])
  func deepNestingIsRefused(opening: String) throws {
    let text = "{\"x\":" + String(repeating: opening, count: 200_000)
    let error = try #require(failure { () throws(TaskGraphError) in try readWorkflow(text) })
    #expect(error.finding.contains("512 levels"))
  }

  @Test func cycleIsNamedInRunningOrder() throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try readWorkflow(
          workflow(
            #"{"id": "r", "parents": []}, {"id": "a", "parents": ["c", "r"]}, {"id": "b", "parents": ["a"]}, {"id": "c", "parents": ["b"]}"#,
            ["r", "a", "b", "c"].map { "{\"id\": \"\($0)\", \"runtimeInSeconds\": 1}" }.joined(
              separator: ",")))
      })
    #expect(error.finding.contains("b → c → a → b"))
  }

  @Test func aGraphWithoutTasksIsRefused() throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in try readWorkflow(workflow("", "")) })
    #expect(error.finding == "the graph has no task")
  }

  @Test func durationsThatOverflowTogetherAreRefused() throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try readWorkflow(
          workflow(
            #"{"id": "a", "parents": []}, {"id": "b", "parents": []}"#,
            #"{"id": "a", "runtimeInSeconds": 9e9}, {"id": "b", "runtimeInSeconds": 9e9}"#))
      })
    #expect(error.finding.contains("together"))
  }
}
