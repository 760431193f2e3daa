// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import ConcurrencyPrimitives
internal import Operations
internal import Scheduling
internal import Synchronization
package import Traces

/// A recording of this process that is under way; one at a time.
///
/// Any thread may set marks. One thread ends it, once; one that is dropped instead has recorded for
/// nothing.
package final class Recorder: Sendable {
  /// Rings that are made ready for the threads to come, besides one per processor.
  private static let spareRings = 2
  /// The most rings that are made ready.
  private static let mostReadyRings = 64

  /// A thread without an event for so long may have lost its processor: longer than most bodies
  /// that one cares to the microsecond about, shorter than any time that a system gives to another
  /// thread.
  private static let longGapNanoseconds = 50_000.0

  private static let isTaken = Atomic<Bool>(false)
  private static let lastNumber = Atomic<UInt32>(0)

  private let options: RecordingOptions
  private let clock: EventClock
  private let skewTicks: UInt64?
  private let number: UInt32
  private let watcher: WaitWatcher?
  private let hasEnded = Atomic<Bool>(false)

  /// Begins a recording of every operation and every back end in the process.
  ///
  /// Takes some 10 ms: the clock is calibrated, and the rings' memory is touched.
  package static func begin(
    _ options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Recorder {
    guard (1...RecordingOptions.mostRingEvents).contains(options.ringEvents) else {
      throw .ringEvents(options.ringEvents)
    }
    if let wait = options.breakOverNanoseconds, wait < 1 { throw .breakOver(nanoseconds: wait) }
    // acquire, edge RecordingOver: what the one before has read and written comes first.
    guard !isTaken.exchange(true, ordering: .acquiring) else { throw .isRecording }
    let recorder = Recorder(options)
    try recorder.watch()
    return recorder
  }

  private init(_ options: RecordingOptions) {
    self.options = options
    clock = EventClock()
    skewTicks = clock.usesCounter ? ClockSkew.bound() : 0
    RecordedNames.reset()
    // relaxed: one recorder at a time.
    number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    watcher = options.breakOverNanoseconds.map { _ in WaitWatcher() }
    EventRings.begin(
      number, capacity: Self.capacity(options.ringEvents),
      lastKind: options.detail == .latency ? .lastOfLatency : .last,
      usesCounter: clock.usesCounter,
      threads: min(Self.mostReadyRings, CPUCount.available + Self.spareRings),
      longGap: UInt64(Self.longGapNanoseconds / clock.nanosecondsPerTick))
    if options.detail == .full { OperationQueue.recordLiveQueues() }
  }

  deinit {
    // relaxed: nobody else has it.
    guard !hasEnded.load(ordering: .relaxed) else { return }
    watcher?.end()
    close()
  }

  private func watch() throws(RecordingError) {
    guard let watcher, let wait = options.breakOverNanoseconds else { return }
    do throws(SystemThreadError) {
      try watcher.begin(
        number, nanoseconds: wait, nanosecondsPerTick: clock.nanosecondsPerTick)
    } catch {
      throw .noWatcher("\(error)")
    }
  }

  /// Why the recording has ended by itself; nil while it has not.
  ///
  /// With a wait in the options only. Any thread, also after `end()`.
  package var broke: RecordingBreak? { watcher?.result }

  /// The next power of two.
  private static func capacity(_ events: Int) -> Int {
    1 << (Int.bitWidth - max(events - 1, 1).leadingZeroBitCount)
  }

  /// Sets a boundary, at this moment.
  package func mark(_ name: String) {
    EventRings.note(.mark, argument: RecordedNames.number(of: name))
  }

  /// Ends the recording and makes a trace of it.
  ///
  /// - Parameters:
  ///   - scheduler: the id of the scheduler that was used.
  ///   - workers: its workers; 0 for as many as have recorded something.
  ///   - workload: what was run.
  ///   - parameters: with what.
  package func end(
    scheduler: String = "", workers: Int = 0, workload: String = "", parameters: String = ""
  ) -> Trace {
    // relaxed: it decides who ends it, and publishes nothing.
    guard !hasEnded.exchange(true, ordering: .relaxed) else {
      fatalError(
        "recording: end() was called twice; expected one call. Keep the trace it returned.")
    }
    EventRings.end(number)
    watcher?.end()
    let duration = EventRings.sinceBegin
    let scale = clock.end()
    let rings = EventRings.contents(of: number)
    let names = RecordedNames.all
    close()
    var header = TraceHeader(
      scheduler: scheduler, workers: workers, workload: workload, parameters: parameters,
      detail: options.detail, clock: clock.kind,
      durationNanoseconds: scale.nanoseconds(duration))
    header.clockDriftNanoseconds = Int64(
      (scale.driftPerNanosecond * Double(header.durationNanoseconds)).rounded())
    header.clockSkewNanoseconds = skewTicks.map(scale.nanoseconds) ?? -1
    var trace = RingDecoder(rings, names: names, scale: scale, header: header).decode()
    if workers == 0 {
      trace.header.workers = Int(trace.threads.map(\.worker).max() ?? -1) + 1
    }
    return trace
  }

  /// Lets another recording begin.
  private func close() {
    EventRings.end(number)
    Self.isTaken.store(false, ordering: .releasing)  // release, edge RecordingOver
  }
}
