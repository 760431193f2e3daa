// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
package import Harness
internal import Synchronization
internal import Workloads

extension ReferenceDescription {
  /// What the kernel takes to wake a thread: the floor of every scheduler whose workers sleep.
  package static let futexFloor = ReferenceDescription(
    name: "futex-floor",
    summary: "a thread that sleeps on a futex and is woken: the floor under submit-latency",
    caveat: "no scheduler: one word handed to one sleeping thread, no queue, no closure",
    width: .fixed(1),
    workloads: [
      "submit-latency": Program { parameters throws(WorkloadError) in
        try FutexFloor(samples: parameters["samples"])
      }
    ])
}

/// One hand-over at a time to a thread that sleeps, timed as `SubmitLatency` times operations.
final class FutexFloor: ReferenceWorkload {
  private let storage: SlotStorage
  private let started: StampStorage

  init(samples: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "submit-latency", count: samples)
    started = try StampStorage(for: "submit-latency", count: samples)
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let (slots, stamps, count) = (storage.slots, started.stamps, storage.count)
    var submitted = [UInt64](repeating: 0, count: count)
    let (work, done) = (Parker(), Parker())
    recorder.begin()
    let thread: SystemThread
    do throws(SystemThreadError) {
      thread = try SystemThread.start(name: "futex-floor") {
        for sample in 0..<count {
          work.park()
          stamps[sample] = MonotonicClock.nanoseconds()
          slots.increment(sample)
          done.unpark()
        }
      }
    } catch { throw WrongAnswer(message: "submit-latency on futex-floor: \(error)") }
    recorder.built()
    for sample in 0..<count {
      WorkerHold.spin(nanoseconds: SubmitLatency.gapNanoseconds)
      submitted[sample] = MonotonicClock.nanoseconds()
      work.unpark()
      done.park()
    }
    recorder.ran()
    thread.join()
    recorder.released()
    try storage.checkIteration(of: "submit-latency on futex-floor")
    for latency in try SubmitLatency.latencies(submitted: submitted, started: started.values) {
      recorder.latency(nanoseconds: latency)
    }
  }
}
