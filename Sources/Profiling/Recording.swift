// SPDX-License-Identifier: Apache-2.0

internal import Results
package import Traces

/// A recording of what the operations, queues and schedulers of this process do.
///
/// One at a time. It costs some 10 ms to begin, and then a fraction of a microsecond and less than
/// 200 bytes for each operation, with 24 for each dependency. Page: Programs.md.
public final class Recording: Sendable {
  /// What is recorded, and in how much room.
  public struct Options: Sendable {
    /// Only when operations become ready, start and finish.
    public var isLatencyOnly = false
    /// Events that each thread keeps; an operation has about six, and one for each dependency.
    ///
    /// The oldest go when there is no room. Rounded up to a power of two; 24 bytes each.
    public var eventsPerThread = RecordingOptions.usualRingEvents
    /// Ends the recording when an operation has been ready for longer and has not started, so that
    /// it has what came before; nil, the default, for never.
    public var breakOver: Duration?

    /// The usual: everything, with room for some 10 000 operations per thread.
    public init() {}
  }

  private let recorder: Recorder

  private init(_ recorder: Recorder) { self.recorder = recorder }

  /// Begins one; throws when another is under way, or the options cannot be met.
  ///
  /// Records what happens from now on: operations that were made before are known from their next
  /// event on.
  public static func begin(_ options: Options = Options()) throws -> Recording {
    let wait = options.breakOver.map { duration -> Int64 in
      let (seconds, attoseconds) = duration.components
      let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      guard !whole.overflow else { return seconds < 0 ? .min : .max }
      return whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
    return Recording(
      try Recorder.begin(
        RecordingOptions(
          detail: options.isLatencyOnly ? .latency : .full, ringEvents: options.eventsPerThread,
          breakOverNanoseconds: wait)))
  }

  /// Sets a boundary at this moment, to be found again in the recording; any thread.
  public func mark(_ name: String) { recorder.mark(name) }

  /// A wait was longer than `Options.breakOver`, and the recording has ended there; any thread.
  public var hasBroken: Bool { recorder.broke != nil }

  /// Ends the recording; once.
  ///
  /// - Parameters:
  ///   - name: what was run.
  ///   - scheduler: the name of the scheduler that was used, such as `work-stealing`.
  ///   - workers: its workers; 0 for as many as have recorded something.
  public func end(
    name: String = "program", scheduler: String = "", workers: Int = 0
  ) -> RecordedRun {
    let trace = recorder.end(scheduler: scheduler, workers: workers, workload: name)
    return RecordedRun(trace: trace, stop: recorder.broke)
  }
}

/// What a recording has.
public struct RecordedRun: Sendable {
  package let trace: Trace
  private let stop: RecordingBreak?

  init(trace: Trace, stop: RecordingBreak?) {
    self.trace = trace
    self.stop = stop
  }

  /// How many operations it has.
  public var operationCount: Int { trace.operations.count }

  /// Events that were overwritten; 0 in a recording that has everything.
  public var droppedEvents: Int { trace.header.droppedEvents }

  /// The `eventsPerThread` that would have kept all.
  public var neededEventsPerThread: Int { trace.header.neededRingEvents }

  /// Why operations were not running when a wait ended the recording; nil when none has.
  public var stallReport: String? { stop?.stallReport }

  /// How long the operation had waited that ended the recording; nil when none has.
  public var longestWait: Duration? { stop.map { .nanoseconds($0.waitNanoseconds) } }

  /// Writes it to a file for `bench`, complete when it appears; replaces an existing one.
  public func write(to path: String) throws {
    try TraceFile.write(trace, to: path, overwrite: true)
  }
}
