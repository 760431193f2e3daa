// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// One operation at a time on an idle pool: from just before the add call to the first instruction
/// of the body.
///
/// Stresses: waking a parked worker, which is mostly the kernel's work. Does not show: anything per
/// operation; `wall` is mostly the 50 µs of spinning between samples that let the workers park, and
/// a pool whose workers spin for longer than that answers without a wake-up. On one CPU the
/// submitter must give the CPU away first, so its next wait is part of the latency.
package final class SubmitLatency: Workload {
  /// Spinning between two samples, so that the workers park.
  package static let gapNanoseconds: UInt64 = 50_000

  private let storage: SlotStorage
  private let started: StampStorage

  init(samples: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "submit-latency", count: samples)
    started = try StampStorage(for: "submit-latency", count: samples)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let stamps = started.stamps
    var submitted = [UInt64](repeating: 0, count: storage.count)
    try TimedIteration.run("submit-latency", on: scheduler, recorder: &recorder) {
      queue throws(WrongAnswer) in
      for sample in submitted.indices {
        WorkerHold.spin(nanoseconds: Self.gapNanoseconds)
        submitted[sample] = MonotonicClock.nanoseconds()
        queue.addOperation {
          stamps[sample] = MonotonicClock.nanoseconds()
          slots.increment(sample)
        }
        try TimedIteration.wait(for: queue, "submit-latency")
      }
    }
    try storage.checkIteration(of: "submit-latency")
    for latency in try Self.latencies(submitted: submitted, started: started.values) {
      recorder.latency(nanoseconds: latency)
    }
  }

  /// Start minus submission of each sample; throws when one is negative.
  package static func latencies(
    submitted: [UInt64], started: [UInt64]
  ) throws(WrongAnswer) -> [UInt64] {
    var latencies: [UInt64] = []
    for (submitted, started) in zip(submitted, started) {
      guard started >= submitted else {
        throw WrongAnswer(
          message: "submit-latency: a body started \(submitted - started) ns before it was "
            + "submitted; expected a start after the submission")
      }
      latencies.append(started - submitted)
    }
    return latencies
  }
}

extension WorkloadDescription {
  /// Waking an idle pool.
  package static let submitLatency = WorkloadDescription(
    name: "submit-latency",
    summary: "one operation on an idle pool: from the add call to the first instruction",
    notShown: "cost per operation: wall is mostly the 50 µs between samples",
    tags: ["latency", "closures"],
    axes: [
      Axis(
        name: "samples", summary: "operations, one at a time", smoke: 10, quick: 200, real: 1000,
        legal: 1...1_000_000, warmUp: 200)
    ],
    metrics: ["latency"],
    make: { parameters throws(WorkloadError) in
      try SubmitLatency(samples: parameters["samples"])
    })
}
