// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Scheduling

/// Where an iteration of a `BenchmarkProgram` says how far it is, and what it has seen.
public struct IterationStamps {
  var recorder: IterationRecorder

  /// Everything is constructed, and nothing has been allowed to run: the phase `build` ends.
  ///
  /// A program that submits while it builds calls this first.
  public mutating func built() { recorder.built() }
  /// The last operation has finished: the phase `run` ends.
  public mutating func ran() { recorder.ran() }
  /// The last object of the iteration is gone: the phase `release` ends, and the iteration.
  public mutating func released() { recorder.released() }

  /// Adds a sample of the metric `latency`, after `released()`; the workload names it in `metrics`.
  public mutating func latency(nanoseconds: UInt64) { recorder.latency(nanoseconds: nanoseconds) }
  /// Adds a value of another metric, after `released()`.
  ///
  /// The metric is one that `list` names, or `x-` and a name of lower-case letters, digits and
  /// hyphens. The value is finite.
  public mutating func value(_ metric: String, _ value: Double) { recorder.value(metric, value) }
}

/// A program of somebody else as a workload of the suite.
struct AddedWorkload: Workload {
  let name: String
  let program: any BenchmarkProgram

  var operationsPerIteration: Int { program.operationsPerIteration }

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    var stamps = IterationStamps(recorder: recorder)
    // One owner, so that adding a sample copies no list.
    recorder = IterationRecorder()
    defer { recorder = stamps.recorder }
    stamps.recorder.begin()
    do { try program.iterate(on: scheduler, &stamps) } catch {
      throw WrongAnswer(message: "\(name): \(error)")
    }
  }
}
