// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// Runs as rows, for the tests of the exports and for the programs that consume them.
package enum ExportSamples {
  /// All of them by name, the environment of each being `environment`.
  package static var all: [(name: String, rows: [ResultRow])] {
    [
      ("ordinary", ordinary()), ("later", ordinary(factor: 1.25, runID: laterRunID)),
      ("awkward", awkward()), ("empty", []),
    ]
  }

  package static let runID = "01KG9RKVG0T5Z0N9QX3W7B4E2M"
  package static let laterRunID = "01KG9RKVG0T5Z0N9QX3W7B4E3N"

  /// What all rows of a run share.
  package static func identity(runID: String = runID) -> RunIdentity {
    guard let time = Timestamp(text: "2026-01-31T12:00:00Z"), let run = RunID(text: runID),
      let machine = MachineID(text: "h:3fa9c0d2e4b86a17")
    else { fatalError("ExportSamples: run \(runID); expected 26 digits of base 32") }
    return RunIdentity(time: time, runID: run, machineID: machine)
  }

  /// Whose figures they are.
  package static func code(branch: String = "main") -> CodeIdentity {
    CodeIdentity(
      commit: "6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11", branch: branch, isDirty: false)
  }

  package static func subject(
    _ metric: Metric = .wall, _ statistic: Statistic = .p50, suite: String = "core",
    benchmark: String = "fan", params: [(String, String)] = [("width", "1000"), ("workers", "2")],
    scheduler: String = "work-stealing", allocator: String = "jemalloc"
  ) -> Subject {
    Subject(
      suite: suite, benchmark: benchmark, params: RowParameters(params), scheduler: scheduler,
      allocator: allocator, metric: metric, statistic: statistic)
  }

  /// An aggregate and its processes, which lie around it.
  package static func rows(
    _ subject: Subject, _ value: Double, interval: ClosedRange<Double>? = nil, processes: Int = 10,
    quality: Set<QualityFlag> = [], role: Role? = nil, in run: RunIdentity = identity(),
    of code: CodeIdentity = code()
  ) -> [ResultRow] {
    let aggregate = ResultRow(
      run: run, code: code, subject: subject, value: value,
      interval: interval.map { Interval(low: $0.lowerBound, high: $0.upperBound, level: 0.95) },
      processCount: max(1, processes), iterationCount: 30 * max(1, processes),
      operationCount: 6000 * max(1, processes), role: role, state: .steady, quality: quality)
    return [aggregate]
      + (0..<processes).map { place in
        // 1 % apart, the aggregate in the middle.
        let step = Double(place) - Double(processes - 1) / 2
        return ResultRow(
          run: run, code: code, subject: subject, value: value * (1 + step / 100), processCount: 1,
          iterationCount: 30, operationCount: 6000, process: place + 1, role: role)
      }
  }

  /// Two schedulers, a graph, a failure, and every kind of metric; times grow by a factor.
  package static func ordinary(factor: Double = 1, runID: String = runID) -> [ResultRow] {
    let run = identity(runID: runID)
    let graph = [("graph", "9f2c"), ("workers", "2")]
    var all: [ResultRow] = []
    for (scheduler, speed) in [("work-stealing", 1.0), ("dispatch", 3)] {
      let wall = 431.25 * factor * speed
      for (metric, statistic, value) in [
        (.wall, .p50, wall), (.wall, .min, wall * 0.9), (.wall, .max, wall * 2),
        (.wall, .mean, wall * 1.1), (.cpu, .p50, wall * 1.5), (.throughput, .p50, 1e9 / wall),
        (.latency, .p50, 900 * factor), (.latency, .p999, 1e6 / 3), (.peakRSS, .p50, 1e16),
        (.voluntarySwitches, .p50, 0), (.involuntarySwitches, .p50, 1e-300),
        (.criticalPath, .p50, 123_456_789_012_345), (.wall, .ratio, speed),
      ] as [(Metric, Statistic, Double)] {
        all += rows(
          subject(metric, statistic, scheduler: scheduler), value,
          interval: metric == .wall || metric == .throughput ? value * 0.98...value * 1.03 : nil,
          processes: statistic == .ratio ? 0 : 10,
          quality: metric == .latency ? [.noisy, .steal] : [], in: run)
      }
    }
    all += rows(
      subject(.makespan, suite: "replay", benchmark: "montage", params: graph), 2e9 * factor,
      processes: 3, in: run)
    all.append(
      ResultRow(
        run: run, code: code(), subject: subject(scheduler: "thread-pool"), value: nil,
        quality: [.crashed]))
    return all
  }

  /// Names that no reader of a results file lets pass, which an export must carry all the same.
  package static func awkward() -> [ResultRow] {
    let code = code(branch: "feature/größe=1,a \"b\"")
    let names = [
      "a b", "a,b", "a=b", "a\"b", "a\\b", "a\nb", "größe", "操作", "a.b", "a#b", "a{b}", "a/b",
      "a'b", "e\u{301}",
    ]
    return names.flatMap { name in
      rows(
        subject(benchmark: name, scheduler: "s " + name), 100, interval: 99...102, processes: 2,
        of: code)
    }
  }

  /// The machine of all runs.
  package static func environment() -> EnvironmentRecord {
    var environment = EnvironmentRecord()
    environment[.threads] = "2"
    environment[.governor] = "performance"
    environment[.l1dBytes] = "32768"
    environment[.l2Bytes] = "1048576"
    environment[.l3Bytes] = "n/a"
    environment[.load1Before] = "0.25"
    return environment
  }

  /// Figures and how often each was counted, over the whole range of `layout`.
  package static let figures: [(figure: Int64, count: Int64)] = [
    (0, 3), (1, 1), (999, 250), (1_500, 400), (1_501, 40), (123_456, 250), (7_654_321, 40),
    (3_599_999_999_999, 1),
  ]

  /// A histogram of `figures`.
  package static func histogram() -> HdrHistogram {
    guard
      let layout = HdrHistogram.Layout(
        lowestDiscernible: 1, highestTrackable: 3_600_000_000_000, significantDigits: 3)
    else { fatalError("ExportSamples: no layout of one hour; expected one") }
    var histogram = HdrHistogram(layout: layout)
    for (figure, count) in figures {
      do { try histogram.record(figure, count: count) } catch {
        fatalError("ExportSamples: \(figure): \(error); expected a figure within the hour")
      }
    }
    return histogram
  }
}
