// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results
internal import Scheduling
internal import Testing

@testable internal import Measurement

@Suite("Measuring a figure again")
struct SubjectRequestTests {
  private func subject(_ params: [(String, String)], suite: String = "core") -> Subject {
    Subject(
      suite: suite, benchmark: "chain", params: RowParameters(params), scheduler: "work-stealing",
      allocator: "system", metric: .wall, statistic: .p50)
  }

  @Test("every parameter of the figure is asked for")
  func asksForEverything() throws {
    let params = [("n", "512"), ("workers", "2"), ("cpus", "1"), ("pin", "compact")]
    let request = try #require(MeasurementRequest(measuring: subject(params)))
    #expect(request.workloadNames == ["chain"] && request.schedulers == ["work-stealing"])
    #expect(request.workers == [2] && request.cpus == 1 && request.allocator == .system)
    #expect(
      request.axes == [
        AxisSelection(axis: "n", values: [.number(512)]),
        AxisSelection(axis: "pin", values: [.word("compact")]),
      ])
  }

  @Test("a replay, whose graph is in no row, cannot be measured again")
  func refusesReplays() {
    #expect(MeasurementRequest(measuring: subject([("workers", "2")], suite: "replay")) == nil)
  }
}
