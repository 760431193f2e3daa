// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Measurement

/// What the user wants profiled, and what is to come of it.
package struct ProfileRequest: Sendable {
  /// The program, the workers and how it is measured.
  package var run: RunRequest
  /// The scheduler, and the one to compare it with.
  package let schedulers: [String]
  package let detail: RecordOrder.Detail
  /// Nanoseconds of ready wait that end the recording; nil for none.
  package let breakOverNanoseconds: Int64?
  /// Asks Linux what the threads got of the processors.
  package let readsThreadTimes: Bool
  /// Those that look into runs of their own.
  package let profilers: [StackProfiler]
  /// Path of a recording that is there, which is shown instead of a run.
  package let recording: String?
  /// Path of the recording in its own form.
  package let trace: String?
  /// Path of the JSON for Perfetto.
  package let perfetto: String?
  /// Folder of pictures and tables.
  package let folder: String?

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when it names not one program, or no scheduler.
  package init(_ parsed: ParsedArguments) throws(ToolFailure) {
    run = RunRequest()
    run.measurement.workloadNames = RunRequest.distinct(parsed.words)
    run.graphPaths = parsed.texts(.graph)
    run.measurement.timeScale = parsed.factor(.timeScale)
    run.measurement.body =
      parsed.text(.body).flatMap(MeasurementRequest.ReplayBody.init) ?? .spin
    if run.measurement.timeScale != nil { run.replayOptions.append(OptionName.timeScale.flag) }
    if parsed.text(.body) != nil { run.replayOptions.append(OptionName.body.flag) }
    run.measurement.workers = parsed.counts(.workers)
    run.measurement.cpus = parsed.count(.cpus)
    run.measurement.axes = parsed.axes
    run.measurement.isQuick = parsed.isOn(.quick)
    run.measurement.seed = parsed.seed
    run.measurement.allocator = parsed.text(.allocator).flatMap(Allocator.init) ?? .jemalloc
    run.format = parsed.text(.format).flatMap(RunRequest.Format.init) ?? .text
    run.force = parsed.isOn(.force)
    run.allowDebug = parsed.isOn(.allowDebug)
    run.color = parsed.text(.color)
    run.showsProgress = !parsed.isOn(.noProgress)
    run.quiet = parsed.isOn(.quiet)
    recording = parsed.text(.recording)
    schedulers = recording == nil ? try Self.schedulers(parsed) : []
    run.measurement.schedulers = schedulers
    detail = parsed.text(.detail).flatMap(RecordOrder.Detail.init) ?? .full
    breakOverNanoseconds = parsed.duration(.breakOver).map { duration in
      let (seconds, attoseconds) = duration.components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
    readsThreadTimes = parsed.isOn(.sched)
    profilers =
      (parsed.isOn(.perf) ? [.processor] : []) + (parsed.isOn(.heap) ? [.heap] : [])
    trace = parsed.text(.trace)
    perfetto = parsed.text(.perfetto)
    folder = parsed.text(.output)
    try recording == nil ? checkProgram() : Self.checkRecording(parsed)
  }

  /// Options that say what is run, or how it is recorded.
  private static let ofRuns: [OptionName] = [
    .scheduler, .against, .graph, .axes, .workers, .cpus, .quick, .seed, .allocator, .timeScale,
    .body, .detail, .breakOver, .trace, .sched, .perf, .heap,
  ]

  private static func checkRecording(_ parsed: ParsedArguments) throws(ToolFailure) {
    guard let first = ofRuns.first(where: { parsed.typed.contains($0) })?.flag ?? parsed.words.first
    else { return }
    throw .usage(
      OptionName.recording.flag, "`\(first)` says what to run, and a recording is there already",
      expected: "--output, --perfetto and --format beside it", next: "leave out one of the two")
  }

  private static func schedulers(_ parsed: ParsedArguments) throws(ToolFailure) -> [String] {
    let named = parsed.names(.scheduler) ?? []
    guard named.count == 1 else {
      throw .usage(
        OptionName.scheduler.flag,
        named.isEmpty ? "no scheduler is named" : "\(named.count) schedulers are named",
        expected: "one",
        next: named.isEmpty
          ? "`bench list` shows them" : "compare it with another one by --against NAME")
    }
    guard let other = parsed.text(.against) else { return named }
    guard other != named[0] else {
      throw .usage(
        OptionName.against.flag, "`\(other)` is the scheduler itself",
        expected: "another one", next: "leave it out, or see `bench list`")
    }
    return named + [other]
  }

  private func checkProgram() throws(ToolFailure) {
    if profilers.contains(.heap), run.measurement.allocator != .jemalloc {
      throw .usage(
        OptionName.heap.flag, "the heap profile is jemalloc's, and another allocator is asked for",
        expected: "jemalloc", next: "leave out \(OptionName.allocator.flag)")
    }
    try run.checkReplayOptions()
    let programs = run.measurement.workloadNames + run.graphPaths
    guard programs.count == 1 else {
      throw .usage(
        "profile",
        programs.isEmpty ? "no program is named" : "\(programs.count) programs are named",
        expected: "one workload, or --graph FILE",
        next: "`bench list` shows the workloads; profile one after the other")
    }
  }
}
