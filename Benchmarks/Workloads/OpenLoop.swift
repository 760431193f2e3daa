// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
internal import Operations
internal import Scheduling

func logarithm(_ value: Double) -> Double { log(value) }

/// The times of one run of an open loop, in nanoseconds of the monotonic clock, by the number of
/// the arrival.
struct OpenLoopTimes {
  /// When each was meant to be submitted.
  var intended: [UInt64] = []
  /// When its submission began.
  var submitted: [UInt64] = []
  /// When its body began and ended.
  var started: [UInt64] = []
  var finished: [UInt64] = []

  /// From the intended submission to the start: what a user waits, even behind a submitter that is
  /// late.
  func latency(_ index: Int) -> UInt64 { started[index] - min(intended[index], started[index]) }

  /// From the real submission to the start.
  func uncorrectedLatency(_ index: Int) -> UInt64 {
    started[index] - min(submitted[index], started[index])
  }
}

/// Runs arrivals at their times, whether or not earlier ones have started.
///
/// The submitter sleeps up to shortly before the next time and spins from there: with as many
/// workers as CPUs it takes a worker's place now and then.
final class OpenLoop {
  /// Before a time from which on the submitter spins: a sleep ends later than it should.
  static let spinNanoseconds: UInt64 = 200_000
  /// From the start of the run to time 0, so that the first submission is on time.
  private static let lead: UInt64 = 300_000

  let arrivals: [Arrival]
  private let name: String
  private let storage: SlotStorage
  private let started: StampStorage
  private let finished: StampStorage

  init(_ name: String, _ arrivals: [Arrival]) throws(WorkloadError) {
    self.name = name
    self.arrivals = arrivals
    storage = try SlotStorage(for: name, count: arrivals.count)
    started = try StampStorage(for: name, count: arrivals.count)
    finished = try StampStorage(for: name, count: arrivals.count)
  }

  /// One run.
  ///
  /// - Parameters:
  ///   - queues: makes the queues that arrivals name.
  ///   - stall: time that the submitter loses before an arrival, in nanoseconds.
  func run(
    on scheduler: any Scheduler, recorder: inout IterationRecorder,
    queues makeQueues: (any Scheduler) -> [OperationQueue] = { [OperationQueue(scheduler: $0)] },
    stall: (Int) -> UInt64 = { _ in 0 }
  ) throws(WrongAnswer) -> OpenLoopTimes {
    var times = OpenLoopTimes()
    times.submitted.reserveCapacity(arrivals.count)
    recorder.begin()
    var queues = makeQueues(scheduler)
    var operations = makeOperations()
    recorder.built()
    let start = MonotonicClock.nanoseconds() + Self.lead
    for (index, arrival) in arrivals.enumerated() {
      let lost = stall(index)
      if lost > 0 { WorkerHold.sleep(nanoseconds: lost) }
      Self.wait(until: start + arrival.time)
      times.submitted.append(MonotonicClock.nanoseconds())
      queues[arrival.queue].addOperation(operations[index])
    }
    for queue in queues { try TimedIteration.wait(for: queue, name) }
    withExtendedLifetime((queues, operations)) { recorder.ran() }
    operations = []
    queues = []
    recorder.released()
    try storage.checkIteration(of: name)
    times.intended = arrivals.map { start + $0.time }
    times.started = started.values
    times.finished = finished.values
    return times
  }

  private func makeOperations() -> [Operation] {
    let (slots, started, finished) = (storage.slots, started.stamps, finished.stamps)
    return arrivals.enumerated().map { index, arrival in
      let hold = arrival.hold
      let operation = BlockOperation {
        started[index] = MonotonicClock.nanoseconds()
        slots.increment(index)
        finished[index] = WorkerHold.spin(nanoseconds: hold)
      }
      operation.queuePriority = arrival.priority
      return operation
    }
  }

  private static func wait(until time: UInt64) {
    let now = MonotonicClock.nanoseconds()
    if time > now + 2 * spinNanoseconds {
      WorkerHold.sleep(nanoseconds: time - now - spinNanoseconds)
    }
    _ = WorkerHold.spin(until: time)
  }
}
