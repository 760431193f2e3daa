// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Results
import Testing

@testable import Exports

@Suite("Lines for time series databases")
struct TextExportTests {
  private func lines(_ format: ExportFormat, _ rows: [ResultRow]) throws -> [String] {
    try format.export(ExportedRun(rows: rows)).text.split(separator: "\n").map(String.init)
  }

  private let tail =
    #"run_id="01KG9RKVG0T5Z0N9QX3W7B4E2M","#
    + #"commit="6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11" 1769860800000000000"#

  @Test("Influx: a line per case, metric and unit, tags sorted, fields with their intervals")
  func writesInflux() throws {
    let rows =
      ExportSamples.rows(ExportSamples.subject(), 431.25, interval: 428.1...434)
      + ExportSamples.rows(ExportSamples.subject(.wall, .max), 1e16, quality: [.noisy, .steal])
      + ExportSamples.rows(ExportSamples.subject(.wall, .ratio), 1.5)
    let tags =
      "allocator=jemalloc,benchmark=fan,branch=main,machine=h:3fa9c0d2e4b86a17,"
      + "param_width=1000,param_workers=2,scheduler=work-stealing,suite=core"
    #expect(
      try lines(.influx, rows) == [
        "bench_wall,\(tags),unit=ns/op p50=431.25,p50_ci_low=428.1,p50_ci_high=434.0,"
          + "max=1e+16,max_quality=\"noisy;steal\",\(tail)",
        "bench_wall,\(tags),unit=1 ratio=1.5,\(tail)",
      ])
  }

  @Test("Influx: commas, blanks and equals signs are escaped, line feeds have a stand-in")
  func escapesForInflux() throws {
    let awkward = try lines(.influx, ExportSamples.awkward())
    let benchmarks = [
      #"a\ b"#, #"a\,b"#, #"a\=b"#, #"a"b"#, #"a\b"#, #"a\nb"#, "größe", "操作", "a.b", "a#b",
      "a{b}", "a/b", "a'b", "e\u{301}",
    ]
    #expect(awkward.count == benchmarks.count)
    for (line, benchmark) in zip(awkward, benchmarks) {
      #expect(line.contains(",benchmark=\(benchmark),"), "\(line)")
      #expect(line.contains(#",scheduler=s\ \#(benchmark),"#), "\(line)")
      #expect(line.contains(#",branch=feature/größe\=1\,a\ "b","#), "\(line)")
    }
  }

  @Test("Influx: a name that ends with a backslash is refused, an empty tag left out")
  func refusesBackslashes() throws {
    let subject = ExportSamples.subject(scheduler: #"a\"#)
    #expect(throws: ExportFailure.unwritableName(.influx, name: #"a\"#)) {
      try lines(.influx, ExportSamples.rows(subject, 1))
    }
    let code = CodeIdentity(branch: "")
    let line = try lines(.influx, ExportSamples.rows(ExportSamples.subject(), 1, of: code))[0]
    #expect(!line.contains("branch") && !line.contains("commit"))
  }

  @Test("OpenMetrics: one family per metric and statistic, in base units, each unit in the name")
  func writesOpenMetrics() throws {
    let rows = ["a", "b"].flatMap { scheduler in
      ExportSamples.rows(
        ExportSamples.subject(scheduler: scheduler), 431.25, interval: 428...434)
        + ExportSamples.rows(ExportSamples.subject(.peakRSS, scheduler: scheduler), 4096)
    }
    let text = try lines(.openMetrics, rows).filter { !$0.hasPrefix("# HELP") }
    func labels(_ scheduler: String) -> String {
      #"{suite="core",benchmark="fan",scheduler="\#(scheduler)",allocator="jemalloc","#
        + #"param_width="1000",param_workers="2"}"#
    }
    func family(_ name: String, _ unit: String, _ value: String) -> [String] {
      [
        "# TYPE \(name)_\(unit) gauge", "# UNIT \(name)_\(unit) \(unit)",
        "\(name)_\(unit)\(labels("a")) \(value)", "\(name)_\(unit)\(labels("b")) \(value)",
      ]
    }
    #expect(
      text == [
        "# TYPE bench_run info",
        #"bench_run_info{run_id="01KG9RKVG0T5Z0N9QX3W7B4E2M",machine="h:3fa9c0d2e4b86a17","#
          + #"commit="6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11",branch="main"} 1.0"#,
        "# TYPE bench_run_start_seconds gauge", "# UNIT bench_run_start_seconds seconds",
        "bench_run_start_seconds 1769860800.0",
      ] + family("bench_wall_p50", "seconds", "4.3125e-07")
        + family("bench_wall_p50_ci_low", "seconds", "4.28e-07")
        + family("bench_wall_p50_ci_high", "seconds", "4.34e-07")
        + family("bench_peak_rss_p50", "bytes", "4096.0") + ["# EOF"])
  }

  @Test("OpenMetrics: quotes, backslashes and line feeds of labels are escaped, others stay")
  func escapesForOpenMetrics() throws {
    let text = try lines(.openMetrics, ExportSamples.awkward())
      .filter { $0.hasPrefix("bench_wall_p50_seconds{") }
    let benchmarks = [
      "a b", "a,b", "a=b", #"a\"b"#, #"a\\b"#, #"a\nb"#, "größe", "操作", "a.b", "a#b", "a{b}",
      "a/b", "a'b", "e\u{301}",
    ]
    #expect(text.count == benchmarks.count)
    for (line, benchmark) in zip(text, benchmarks) {
      #expect(line.contains(#",benchmark="\#(benchmark)","#), "\(line)")
    }
  }

  @Test("OpenMetrics: two parameters whose labels would be the same are refused")
  func refusesEqualLabels() throws {
    let subject = ExportSamples.subject(params: [("a-b", "1"), ("a_b", "2")])
    #expect(throws: ExportFailure.nameCollision(.openMetrics, name: "param_a_b")) {
      try lines(.openMetrics, ExportSamples.rows(subject, 1))
    }
  }

  @Test("OpenMetrics: every registered metric and statistic makes legal names")
  func namesEveryMetric() throws {
    let rows = Metric.allCases.flatMap { metric in
      metric.statistics.flatMap { statistic in
        ExportSamples.rows(
          ExportSamples.subject(metric, statistic), 2, interval: 1...3, processes: 0)
      }
    }
    let run = try ExportedRun(rows: rows)
    for format in ExportFormat.allCases { #expect(try !format.export(run).text.isEmpty) }
    let name = try Regex("[a-z_][a-z0-9_]*")
    let samples = try lines(.openMetrics, rows).filter { !$0.hasPrefix("#") }
    #expect(samples.count == 2 + 3 * rows.count)
    for sample in samples {
      #expect(try name.wholeMatch(in: String(sample.prefix { $0 != "{" && $0 != " " })) != nil)
    }
  }
}
