// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Results
import Testing

@testable import Exports

@Suite("JSON for other tools")
struct JSONExportTests {
  @Test("strings survive whatever they are made of")
  func escapesStrings() throws {
    for row in ExportSamples.awkward() where row.process == nil {
      let entries = try JSONReading.array(.githubSmaller, [row])
      let subject = row.subject
      #expect(
        entries[0]["name"] as? String
          == "core/\(subject.benchmark)[width:1000;workers:2]/\(subject.scheduler) wall p50")
    }
  }

  @Test("JMH: one entry per case with its time, and never a throughput for a score")
  func writesJMH() throws {
    let entries = try JSONReading.array(.jmh, ExportSamples.ordinary())
    #expect(
      entries.map { $0["benchmark"] as? String } == ["core.fan", "core.fan", "replay.montage"])
    #expect(entries.map { $0["mode"] as? String } == ["avgt", "avgt", "ss"])
    #expect(entries.map { $0["forks"] as? Int } == [10, 10, 3])
    #expect(entries.map { $0["measurementIterations"] as? Int } == [30, 30, 30])
    #expect(
      entries[0]["params"] as? [String: String] == [
        "width": "1000", "workers": "2", "scheduler": "work-stealing", "allocator": "jemalloc",
      ])
    for entry in entries {
      let metric = try #require(entry["primaryMetric"] as? [String: Any])
      #expect(metric["scoreUnit"] as? String == "ns/op")
    }
    let metric = try #require(entries[0]["primaryMetric"] as? [String: Any])
    #expect(metric["score"] as? Double == 431.25)
    #expect(metric["scoreError"] as? Double == 10.78125)
    #expect(metric["scoreConfidence"] as? [Double] == [422.625, 444.1875])
    #expect((metric["rawData"] as? [[Double]])?.map(\.count) == Array(repeating: 1, count: 10))
    let secondary = try #require(entries[0]["secondaryMetrics"] as? [String: [String: Any]])
    #expect(secondary["throughput-p50"]?["scoreUnit"] as? String == "ops/s")
    #expect(secondary.count == 12 && secondary["wall-p50"] == nil)
  }

  @Test("JMH: all ten percentiles have their key; what is not known is \"NaN\"")
  func writesJMHPercentiles() throws {
    let entries = try JSONReading.array(.jmh, ExportSamples.ordinary())
    let graph = try #require(entries[2]["primaryMetric"] as? [String: Any])
    #expect(graph["scoreError"] as? String == "NaN")
    #expect(graph["scoreConfidence"] as? [String] == ["NaN", "NaN"])
    let percentiles = try #require(graph["scorePercentiles"] as? [String: Any])
    #expect(
      percentiles.keys.sorted() == [
        "0.0", "100.0", "50.0", "90.0", "95.0", "99.0", "99.9", "99.99", "99.999", "99.9999",
      ])
    #expect(percentiles["50.0"] as? Double == 2e9)
    #expect(percentiles["0.0"] as? Double == 1.98e9)
    #expect(percentiles["99.0"] as? String == "NaN")
  }

  @Test("JMH: visualisers split names at points, blanks and equals signs, so there are none")
  func namesForJMH() throws {
    let entries = try JSONReading.array(
      .jmh,
      ExportSamples.awkward().filter { row in
        // Replacing characters makes these the same name.
        ["a.b", "größe", "操作"].contains(row.subject.benchmark)
      })
    #expect(
      entries.map { $0["benchmark"] as? String } == [
        "core.gruF6uDFe", "core.u64CDu4F5C", "core.a-b",
      ])
  }

  @Test("JMH: a case without a time is left out, and said to be")
  func omitsTimelessCases() throws {
    let rows = ExportSamples.rows(ExportSamples.subject(.peakRSS), 4096)
    for format in [ExportFormat.jmh, .googleBenchmark] {
      let export = try format.export(ExportedRun(rows: rows))
      #expect(export.omissions.map(\.reason) == [.noTime])
    }
  }

  @Test("BMF: latency and throughput are Bencher's own; no other measure takes their names")
  func writesBMF() throws {
    let benchmarks = try JSONReading.object(.bmf, ExportSamples.ordinary())
    let measures = try #require(
      benchmarks["core/fan[width:1000;workers:2]/work-stealing"] as? [String: [String: Double]])
    #expect(
      measures["latency"] == ["value": 431.25, "lower_value": 422.625, "upper_value": 444.1875])
    #expect(measures["throughput"]?["value"] == 1e9 / 431.25)
    #expect(measures["latency-p50"] == ["value": 900])
    #expect(measures["latency-p99-9"] == ["value": 1e6 / 3])
    #expect(measures["peak-rss-p50"] == ["value": 1e16])
    #expect(measures.count == 13)
    let slug = try Regex("[a-z0-9]+(-[a-z0-9]+)*")
    #expect(try measures.keys.allSatisfy { try slug.wholeMatch(in: $0) != nil })
  }

  @Test("BMF: names longer than Bencher takes are refused")
  func limitsBMFNames() throws {
    let room = 1024 - "core/[width:1000;workers:2]/s".utf8.count
    func export(_ benchmark: String) throws -> Export {
      let subject = ExportSamples.subject(benchmark: benchmark, scheduler: "s")
      return try ExportFormat.bmf.export(ExportedRun(rows: ExportSamples.rows(subject, 1)))
    }
    _ = try export(String(repeating: "n", count: room))
    // Bytes, not characters, are what Bencher counts.
    let name = String(repeating: "n", count: room - 1) + "ö"
    let failure = ExportFailure.nameTooLong(
      .bmf, name: "core/\(name)[width:1000;workers:2]/s", limit: 1024)
    #expect(throws: failure) { try export(name) }
    #expect(failure.description.contains("]/s has 1025 bytes; expected at most 1024; shorten"))
  }

  @Test(
    "github-action-benchmark: each estimate is in the file of its direction, with half its interval"
  )
  func writesGitHubAction() throws {
    let smaller = try JSONReading.array(.githubSmaller, ExportSamples.ordinary())
    let bigger = try JSONReading.array(.githubBigger, ExportSamples.ordinary())
    let stem = "core/fan[width:1000;workers:2]/work-stealing "
    #expect(
      smaller.compactMap { $0["name"] as? String }.filter { $0.hasPrefix(stem) }
        == [
          "wall p50", "cpu p50", "latency p50", "latency p99.9", "peak-rss p50",
          "voluntary-switches p50", "involuntary-switches p50", "wall ratio",
        ].map { stem + $0 })
    #expect(
      bigger.compactMap { $0["name"] as? String } == [
        stem + "throughput p50", "core/fan[width:1000;workers:2]/dispatch throughput p50",
      ])
    #expect(smaller[0]["value"] as? Double == 431.25)
    #expect(smaller[0]["unit"] as? String == "ns/op")
    #expect(smaller[0]["range"] as? String == "± 10.78125")
    #expect(smaller[1]["range"] == nil)
    #expect((smaller[2]["extra"] as? String)?.contains("\nquality: noisy;steal\n") == true)
  }

  @Test("github-action-benchmark: extremes, means and what has no direction are left out by name")
  func omitsForGitHubAction() throws {
    let export = try ExportFormat.githubSmaller.export(ExportedRun(rows: ExportSamples.ordinary()))
    let reasons = export.omissions.filter { $0.figure.contains("/work-stealing ") }.map(\.reason)
    #expect(reasons == [.notAnEstimate, .notAnEstimate, .notAnEstimate, .noDirection])
  }

  @Test("Google Benchmark: a repetition per process, then their median, in schema 1")
  func writesGoogleBenchmark() throws {
    let document = try JSONReading.object(.googleBenchmark, ExportSamples.ordinary())
    let context = try #require(document["context"] as? [String: Any])
    #expect(context["json_schema_version"] as? Int == 1)
    #expect(context["library_build_type"] as? String == "release")
    #expect((context["caches"] as? [Any])?.isEmpty == true)
    let entries = try #require(document["benchmarks"] as? [[String: Any]])
    #expect(entries.count == 11 + 11 + 4)
    let name = "core/fan[width:1000;workers:2]/work-stealing"
    #expect(entries[..<10].allSatisfy { $0["name"] as? String == name })
    #expect(entries[..<10].map { $0["repetition_index"] as? Int } == (0..<10).map { $0 })
    #expect(entries[..<10].allSatisfy { $0["run_type"] as? String == "iteration" })
    // Readers fail on an entry without one of these.
    for field in ["real_time", "cpu_time", "time_unit", "iterations", "threads", "repetitions"] {
      #expect(entries.allSatisfy { $0[field] != nil }, "\(field)")
    }
    #expect(entries[3]["real_time"] as? Double == 431.25 * 0.985)
    #expect(entries[3]["cpu_time"] as? Double == 431.25 * 1.5 * 0.985)
    #expect(entries[3]["latency-p50"] as? Double == 900 * 0.985)
    #expect(entries[10]["name"] as? String == name + "_median")
    #expect(entries[10]["run_type"] as? String == "aggregate")
    #expect(entries[10]["real_time"] as? Double == 431.25)
    #expect(entries[10]["wall-ratio"] as? Double == 1)
    // The graph has no processor time per graph.
    #expect(entries[25]["cpu_time"] as? Double == 0)
  }

  @Test("Google Benchmark: the machine is told where it is known")
  func describesTheMachine() throws {
    let run = try ExportedRun(rows: [], environment: ExportSamples.environment())
    let text = try ExportFormat.googleBenchmark.export(run).text
    #expect(text.contains(#""num_cpus": 2,"#) && text.contains(#""size": 32768"#))
    #expect(text.contains(#""cpu_scaling_enabled": false"#) && !text.contains(#""level": 3"#))
    let debug = ExportSamples.rows(ExportSamples.subject(), 1, quality: [.debug])
    let document = try JSONReading.object(.googleBenchmark, debug)
    let context = try #require(document["context"] as? [String: Any])
    #expect(context["library_build_type"] as? String == "debug")
  }
}
