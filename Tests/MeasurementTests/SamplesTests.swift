// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import MeasurementFixtures
internal import Results
internal import Statistics
internal import Testing

@testable internal import Measurement

@Suite struct SamplesTests {
  private static let figures: [(SampleColumn, Metric)] = [
    (.buildNs, .build), (.runNs, .run), (.releaseNs, .release), (.cpuNs, .cpu),
    (.voluntarySwitches, .voluntarySwitches), (.involuntarySwitches, .involuntarySwitches),
  ]

  /// The rows of a samples file, by the names in its header.
  private static func read(_ bytes: [UInt8]) throws -> [[SampleColumn: String]] {
    let records = try CSVRecordReader.records(bytes, path: "samples")
    let names = records[0].fields.map { SampleColumn(rawValue: $0) }
    #expect(names == SampleColumn.allCases)
    return records.dropFirst().map { record in
      Dictionary(uniqueKeysWithValues: zip(SampleColumn.allCases, record.fields))
    }
  }

  private static func iteration(_ number: Int, operations: Int) -> IterationSample {
    let base = UInt64(number * number * 1000)
    return IterationSample(
      buildNanoseconds: base + 70, runNanoseconds: 3 * base + 11, releaseNanoseconds: base / 7 + 5,
      cpuNanoseconds: 5 * base + 3, voluntarySwitches: Int64(number % 5),
      involuntarySwitches: Int64(number % 3), operations: operations)
  }

  /// Every median per process in the figures is that of its rows among the samples.
  @Test func figuresCanBeMadeOfTheSamplesAgain() throws {
    let plan = try Fixtures.plan { $0.processes = 4 }
    var started = 0
    let runner = FakeRunner { assignment, _ in
      started += 1
      var outcome = Fixtures.outcome(wall: [1])
      outcome.iterations = (1...(3 + started % 4)).map {
        Self.iteration($0 + started, operations: 400 + started)
      }
      return outcome
    }
    let record = Orchestrator(plan: plan, runner: runner).run()
    let writer = Fixtures.writer()
    let rows = writer.rows(record)
    let samples = try Self.read(writer.samples(record))
    #expect(samples.allSatisfy { $0[.runID] == rows[0].run.runID.text })
    var seen = 0
    for row in rows where row.subject.metric == .wall {
      guard let process = row.process else { continue }
      let own = samples.filter {
        $0[.suite] == row.subject.suite && $0[.benchmark] == row.subject.benchmark
          && $0[.params] == row.subject.params.text && $0[.scheduler] == row.subject.scheduler
          && $0[.process] == String(process)
      }
      #expect(own.map { $0[.iteration] } == (1...own.count).map { String($0) })
      #expect(own.count == row.iterationCount)
      func value(_ sample: [SampleColumn: String], _ column: SampleColumn) -> Double {
        sample[column].flatMap { Double($0) } ?? .nan
      }
      #expect(own.reduce(0) { $0 + value($1, .operations) } == Double(row.operationCount ?? 0))
      let wall = own.map { sample in
        (value(sample, .buildNs) + value(sample, .runNs) + value(sample, .releaseNs))
          / value(sample, .operations)
      }
      #expect(median(wall) == row.value)
      for (column, metric) in Self.figures {
        let figure = rows.first {
          $0.process == process && $0.subject.metric == metric && $0.subject.statistic == .p50
            && $0.subject.isOfSameSystem(as: row.subject)
        }
        #expect(median(own.map { value($0, column) / value($0, .operations) }) == figure?.value)
      }
      seen += own.count
    }
    #expect(seen == samples.count && seen > 100)
  }

  @Test func aProcessThatFailedKeepsWhatItHadAndCountingHasNoSamples() throws {
    let plan = try Fixtures.plan {
      $0.processes = 2
      $0.workloadNames = ["chain"]
      $0.countsAllocations = true
    }
    let runner = FakeRunner { assignment, _ in
      var outcome = Fixtures.outcome(wall: [10, 20, 30])
      if assignment.countsAllocations { outcome.metrics = [.allocations: [1]] }
      guard assignment.name == "dispatch" else { return outcome }
      outcome.iterations.removeLast()
      outcome.failure = .crashed(.signalled(11), standardError: "")
      return outcome
    }
    let record = Orchestrator(plan: plan, runner: runner).run()
    let samples = try Self.read(Fixtures.writer().samples(record))
    func of(_ scheduler: String) -> [String] {
      samples.filter { $0[.scheduler] == scheduler }.map {
        "\($0[.process] ?? "").\($0[.iteration] ?? "")"
      }
    }
    #expect(of("inline") == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"])
    #expect(of("dispatch") == ["1.1", "1.2"])
  }
}
