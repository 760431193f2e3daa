// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import History
import Testing

@testable import Exports

@Suite("Histories for Apache Otava")
struct OtavaExportTests {
  private let export = OtavaExport(HistorySamples.series)

  @Test("series of the same commits share a table, and no table has an empty cell")
  func separatesTables() throws {
    let stem = "h-3fa9c0d2e4b86a17-6180120d52"
    #expect(export.files.map(\.name) == ["otava.yaml", "\(stem)-1.csv", "\(stem)-2.csv"])
    #expect(export.tests == ["\(stem)-1", "\(stem)-2"])
    let tables = export.files.dropFirst().map { file in
      file.text.split(separator: "\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
    }
    try #require(tables.map(\.count) == [61, 31])
    #expect(tables.map { $0[0].count } == [6, 4])
    for table in tables {
      #expect(table.allSatisfy { $0.count == table[0].count && !$0.contains("") })
      #expect(Array(table[0].prefix(3)) == ["time", "commit", "run_id"])
    }
    #expect(
      tables[1][1] == [
        HistorySamples.moment(1).text, HistorySamples.commit(1), HistorySamples.runID(1).text,
        "0.9921875",
      ])
  }

  @Test("the configuration names every column and says which way is better")
  func configures() {
    let text = export.files[0].text
    for series in HistorySamples.series where series.key.subject.direction != .none {
      #expect(text.contains("\"column\": \"\(series.name)\""))
    }
    #expect(text.split(separator: "\n").count { $0.contains("\"direction\": -1") } == 3)
    #expect(text.split(separator: "\n").count { $0.contains("\"direction\": 1") } == 1)
  }

  @Test("what has no better way is left out, and the earliest commit is where to begin")
  func namesOmissions() {
    #expect(
      export.omissions == ["core/flat[width:1000;workers:2]/work-stealing/jemalloc:tasks:p50"])
    #expect(export.since == "2026-01-01T12:00:00Z")
  }
}
