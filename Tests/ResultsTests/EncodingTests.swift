// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Testing

@testable import Results

@Suite("Registries and other encodings")
struct EncodingTests {
  @Test("metrics have the registered units")
  func registersUnits() {
    let units = Dictionary(uniqueKeysWithValues: Metric.allCases.map { ($0.rawValue, $0.unit) })
    #expect(
      units == [
        "wall": "ns/op", "build": "ns/op", "run": "ns/op", "release": "ns/op",
        "throughput": "1/s", "latency": "ns", "cpu": "ns/op", "peak-rss": "B",
        "voluntary-switches": "1/op", "involuntary-switches": "1/op", "makespan": "ns",
        "tasks": "1", "edges": "1", "work": "ns", "critical-path": "ns", "efficiency": "1",
        "efficiency-ideal": "1", "cpu-user": "ns/op", "cpu-system": "ns/op",
        "minor-faults": "1/op", "major-faults": "1/op", "jobs": "1/op", "steals": "1/op",
        "failed-steals": "1/op", "parks": "1/op", "wake-ups": "1/op", "spurious-wake-ups": "1/op",
        "injections": "1/op", "compensations": "1/op",
        "queue-delay": "ns", "instructions": "1/op", "rmw": "1/op", "allocations": "1/op",
        "allocated-bytes": "B/op", "hardware-instructions": "1/op", "cycles": "1/op",
        "cache-misses": "1/op", "latency-uncorrected": "ns", "latency-very-high": "ns",
        "latency-high": "ns", "latency-normal": "ns", "latency-low": "ns",
        "latency-very-low": "ns", "inversion": "ns/op", "oldest-wait": "ns",
        "deadlines-met": "1", "quiescence": "ns", "started-after-cancel": "1",
        "wasted-time": "ns", "knee": "1/s", "construction": "ns/op", "metg": "ns", "nodes": "1",
      ])
  }

  @Test("every registered metric and statistic can be written and passes the check")
  func writesEveryMetric() throws {
    var rows: [ResultRow] = []
    for metric in Metric.allCases {
      for statistic in metric.statistics {
        var row = SampleRows.rows()[9]
        row.subject.metric = metric
        row.subject.statistic = statistic
        rows.append(row)
      }
    }
    #expect(SchemaCheck.check(CSV.encode(rows), path: "r.csv") == [])
  }

  @Test("every metric has a name that reads it back, and no other has its name")
  func namesEveryMetric() {
    #expect(Set(Metric.allCases).count == Metric.allCases.count)
    for metric in Metric.allCases { #expect(Metric(rawValue: metric.rawValue) == metric) }
  }

  @Test("a metric of one's own is written and read back")
  func writesOwnMetrics() throws {
    var row = SampleRows.rows()[9]
    row.subject.metric = .own(try #require(OwnMetric("x-tables-2")))
    row.subject.statistic = .p50
    let bytes = CSV.encode([row])
    #expect(SchemaCheck.check(bytes, path: "r.csv") == [])
    let rows = try SchemaCheck.rows(ByteSource(bytes), path: "r.csv")
    #expect(rows.first?.subject.metric.rawValue == "x-tables-2")
    #expect(rows.first?.subject.unit == "1" && rows.first?.subject.direction == Direction.none)
  }

  @Test(
    "any other name is no metric",
    arguments: ["", "x", "x-", "x-A", "x-a b", "X-a", "tables", "y-tables", "wall ", "x-ä"])
  func refusesOtherNames(name: String) {
    #expect(Metric(rawValue: name) == nil)
  }

  @Test("quality words read back in any order and are written in one")
  func ordersQuality() throws {
    let flags = try #require(Set<QualityFlag>(text: "unavailable:no-pmu;debug;noisy"))
    #expect(flags == [.noisy, .debug, .unavailable(reason: "no-pmu")])
    #expect(flags.text == "noisy;debug;unavailable:no-pmu")
    #expect(flags.isFailure)
    #expect(Set<QualityFlag>().text == "ok")
    #expect(Set<QualityFlag>(text: "ok")?.isEmpty == true)
    for word in QualityFlag.plain { #expect(QualityFlag(text: word.word) == word.flag) }
  }

  @Test("parameters are sorted by name whatever their order")
  func sortsParameters() {
    let parameters = RowParameters([("workers", "2"), ("body", "spin"), ("scale", "0.5")])
    #expect(parameters.text == "body:spin;scale:0.5;workers:2")
    #expect(parameters["scale"] == "0.5")
    #expect(parameters["n"] == nil)
    #expect(RowParameters(text: "")?.entries.isEmpty == true)
  }

  @Test("a parameter given twice stops the process")
  func refusesRepeatedParameter() async {
    await #expect(processExitsWith: .failure) { _ = RowParameters([("n", "1"), ("n", "2")]) }
  }

  @Test("JSON has one object per row, numbers as numbers and missing values as null")
  func writesJSON() throws {
    let row = SampleRows.rows()[5]
    let text = JSONValue.rows([row, row]).list
    let one =
      "{\"schema\": \(Column.schemaVersion), \"time\": \"2026-01-31T12:00:00Z\", "
      + "\"run_id\": \"01KG9RKVG0T5Z0N9QX3W7B4E2M\", "
      + "\"commit\": \"6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11\", \"branch\": \"main\", "
      + "\"dirty\": 0, \"binary\": \"b:85944171f73967e8\", \"toolchain\": \"Swift 6.3.1\", "
      + "\"machine_id\": \"h:3fa9c0d2e4b86a17\", \"suite\": \"core\", "
      + "\"benchmark\": \"fan\", \"params\": \"rounds:200;width:1000;workers:2\", "
      + "\"scheduler\": \"dispatch\", \"allocator\": \"jemalloc\", \"metric\": \"wall\", "
      + "\"stat\": \"p50\", \"unit\": \"ns/op\", \"direction\": \"lower\", \"value\": null, "
      + "\"ci_low\": null, \"ci_high\": null, \"ci_level\": null, \"n_proc\": null, "
      + "\"n_iter\": null, \"n_op\": null, \"process\": null, \"role\": null, "
      + "\"pair_id\": null, \"design\": null, \"state\": null, \"quality\": \"debug;crashed\"}"
    #expect(text == "[\n  \(one),\n  \(one)\n]\n")
    #expect(JSONValue.rows([]).list == "[]\n")
  }

  @Test("JSON strings escape what has to be escaped")
  func escapesJSON() {
    #expect(
      JSONValue.string("a\"b\\c\n\t\r\u{1}\u{7f}ü").text
        == "\"a\\\"b\\\\c\\n\\t\\r\\u0001\u{7f}ü\"")
  }

  @Test("JSON is written on one line, a line for each element, or indented")
  func laysJSONOut() {
    let value = JSONValue.array([
      .object([("a", .array([.integer(1), .null])), ("b", .object([]))]), .array([]),
    ])
    #expect(value.text == "[{\"a\": [1, null], \"b\": {}}, []]")
    #expect(value.list == "[\n  {\"a\": [1, null], \"b\": {}},\n  []\n]\n")
    #expect(
      value.document == "[\n  {\n    \"a\": [1, null],\n    \"b\": {}\n  },\n  []\n]\n")
  }
}
