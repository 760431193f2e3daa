// SPDX-License-Identifier: Apache-2.0

internal import Results

/// JSON of Google Benchmark, version 1: every process is a repetition, so that the U test of its
/// compare.py has something to test; their median follows as an aggregate.
///
/// All other figures of the case are counters named after metric and statistic, a hyphen between,
/// so that none takes the name of a field. `cpu_time` is the processor time where it is per
/// operation as the time is, else 0: readers require the field. Figures that failed have no entry,
/// since readers fail on one without times. Pure functions; any thread.
enum GoogleBenchmarkExport {
  private typealias Member = (name: String, value: JSONValue)

  static func export(_ run: ExportedRun) throws(ExportFailure) -> Export {
    var entries: [JSONValue] = []
    var omissions: [Omission] = []
    var names = ClaimedNames(.googleBenchmark)
    for (family, group) in run.groups.enumerated() {
      guard let time = group.time else {
        omissions += group.series.map { Omission($0, reason: .noTime) }
        continue
      }
      let name = try names.claim(group.benchmarkCase.name)
      let counters = group.others.map { (name: $0.label, series: $0) }
      let samples =
        time.samples.isEmpty ? [Series.Sample(value: time.value, process: nil)] : time.samples
      for (place, sample) in samples.enumerated() {
        var members = heading(name, run: name, family, group, repetitions: samples.count)
        members += [("run_type", .string("iteration")), ("repetition_index", .integer(place))]
        members += figures(time: time, counters, sample: sample)
        entries.append(.object(members))
      }
      var members = heading("\(name)_median", run: name, family, group, repetitions: samples.count)
      members += [
        ("run_type", .string("aggregate")), ("aggregate_name", .string("median")),
        ("aggregate_unit", .string("time")),
      ]
      members += figures(time: time, counters, sample: nil)
      if !time.quality.isEmpty { members.append(("label", .string(time.quality.text))) }
      entries.append(.object(members))
    }
    let document = JSONValue.object([
      ("context", .object(context(of: run))), ("benchmarks", .array(entries)),
    ])
    return Export(text: document.document, omissions: omissions)
  }

  private static func heading(
    _ name: String, run: String, _ family: Int, _ group: SeriesGroup, repetitions: Int
  ) -> [Member] {
    [
      ("name", .string(name)), ("family_index", .integer(family)),
      ("per_family_instance_index", .integer(0)), ("run_name", .string(run)),
      ("repetitions", .integer(repetitions)),
      ("threads", .integer(group.benchmarkCase.workers)),
    ]
  }

  /// The figures of one process, or over all of them.
  private static func figures(
    time: Series, _ counters: [(name: String, series: Series)], sample: Series.Sample?
  ) -> [Member] {
    func figure(_ series: Series) -> Double? {
      guard let sample else { return series.value }
      return series.samples.first { $0.process == sample.process }?.value
    }
    let cpu = counters.first { $0.series.isOf(.cpu, .p50) && $0.series.unit == time.unit }
    // Google Benchmark's iterations are of one repetition, or in an aggregate the repetitions.
    let iterations = sample == nil ? time.figures.count : time.iterationsPerProcess
    var members: [Member] = [
      ("iterations", .integer(iterations)),
      ("real_time", .number(sample?.value ?? time.value)),
      ("cpu_time", .number(cpu.flatMap { figure($0.series) } ?? 0)), ("time_unit", .string("ns")),
    ]
    for (name, series) in counters {
      if let value = figure(series) { members.append((name, .number(value))) }
    }
    return members
  }

  /// What is known of the machine; readers require the list of caches.
  private static func context(of run: ExportedRun) -> [Member] {
    var members: [Member] = []
    if let identity = run.identity {
      members += [
        ("date", .string(identity.time.text)),
        // Hosts have no names in our files.
        ("host_name", .string(identity.machineID.text)),
      ]
    }
    members.append(("executable", .string("bench")))
    let environment = run.environment
    if let threads = environment[.threads].flatMap({ Int($0) }) {
      members.append(("num_cpus", .integer(threads)))
    }
    if let governor = environment[.governor], isName(governor) {
      members.append(("cpu_scaling_enabled", .boolean(governor != "performance")))
    }
    let caches: [(column: EnvironmentColumn, type: String, level: Int)] = [
      (.l1dBytes, "Data", 1), (.l2Bytes, "Unified", 2), (.l3Bytes, "Unified", 3),
    ]
    let known = caches.compactMap { cache -> JSONValue? in
      guard let size = environment[cache.column].flatMap({ Int($0) }) else { return nil }
      return .object([
        ("type", .string(cache.type)), ("level", .integer(cache.level)), ("size", .integer(size)),
      ])
    }
    members.append(("caches", .array(known)))
    let load = environment[.load1Before].flatMap { Double($0) }
    members.append(("load_avg", .array(load.map { [.number($0)] } ?? [])))
    let isDebug = run.series.contains { $0.series.quality.contains(.debug) }
    return members + [
      ("library_build_type", .string(isDebug ? "debug" : "release")),
      ("json_schema_version", .integer(1)),
    ]
  }
}
