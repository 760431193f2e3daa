// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Profiling
internal import Results
internal import Traces

/// How a child of `bench profile` records a run.
enum RunRecording {
  /// Records one run of a program, and writes the recording where the order says so.
  ///
  /// - Throws: when the recording cannot begin or cannot be written, and what the program throws.
  @Sendable static func record(
    _ order: RecordOrder, of assignment: Assignment, run: () throws(ChildFailure) -> Void
  ) throws(ChildFailure) {
    let recorder: Recorder
    do throws(RecordingError) {
      recorder = try Recorder.begin(
        RecordingOptions(
          detail: order.detail == .latency ? .latency : .full, ringEvents: order.ringEvents,
          breakOverNanoseconds: order.breakOverNanoseconds))
    } catch {
      throw ChildFailure(.unavailable, reason: "recording", detail: error.description)
    }
    try run()
    let trace = recorder.end(
      scheduler: assignment.system.name, workers: assignment.workers,
      workload: assignment.subject.name, parameters: assignment.parameters.description)
    guard !order.path.isEmpty else { return }
    do throws(FileError) {
      try TraceFile.write(trace, to: order.path, overwrite: true)
    } catch {
      throw ChildFailure(
        .unavailable, reason: "recording",
        detail: "\(error.path): the recording cannot be written: \(error.finding); expected "
          + "\(error.expectation); \(error.nextStep)")
    }
  }
}

extension Assignment.System {
  fileprivate var name: String {
    switch self {
    case .scheduler(let name), .reference(let name): name
    }
  }
}

extension Assignment.Subject {
  /// What a page has for a title: of a graph the name of its file, or of the folder of a build.
  fileprivate var name: String {
    switch self {
    case .workload(let name): return name
    case .graph(let path):
      let parts = path.split(separator: "/")
      guard let file = parts.last else { return path }
      return String(file == "build.ninja" && parts.count > 1 ? parts[parts.count - 2] : file)
    }
  }
}
