// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// How much `priority-mix` submits and when: the same for every system.
package struct PriorityMixPlan: Sendable {
  /// Low-priority operations, all added before the first urgent one.
  package var flood: Int
  /// High-priority operations, added one at a time while the flood lasts.
  package var samples: Int

  /// A plan; both are 1 or more.
  package init(flood: Int, samples: Int) {
    self.flood = flood
    self.samples = samples
  }

  /// Share of one worker that a flood operation holds.
  package static let holdNanoseconds: UInt64 = 5000

  /// How long a flood operation holds its worker.
  ///
  /// In proportion to the workers, so that the flood takes as long and a worker becomes free as
  /// often on any number of them: every 5 µs.
  package func holdNanoseconds(workers: Int) -> UInt64 {
    Self.holdNanoseconds * UInt64(max(workers, 1))
  }

  /// Time between two urgent operations, chosen so that the last one comes halfway through the
  /// flood.
  package var intervalNanoseconds: UInt64 {
    UInt64(flood) * Self.holdNanoseconds / UInt64(2 * samples)
  }

  /// Latencies from the stamps of one iteration, in nanoseconds.
  ///
  /// Only operations that were submitted while the flood lasted count. When there are none, because
  /// the scheduler runs the flood inside the call that adds it, all count: that is what an urgent
  /// operation waits for there.
  package func latencies(submitted: [UInt64], started: [UInt64], floodEnd: UInt64) -> [UInt64] {
    let all = zip(submitted, started).map { (submitted: $0, latency: $1 - min($0, $1)) }
    let under = all.filter { $0.submitted < floodEnd }
    return (under.isEmpty ? all : under).map(\.latency)
  }
}

/// Latency of high-priority operations under a flood of low-priority ones.
///
/// Stresses: whether a worker that becomes free sees an urgent submission before what it holds
/// itself. Does not show: throughput; nearly all of `wall` is the time that the bodies hold their
/// workers on purpose. A latency is the time from just before the add call to the first instruction
/// of the body. One operation is one flood or one urgent operation.
package final class PriorityMix: Workload {
  private let plan: PriorityMixPlan
  private let storage: SlotStorage
  private let started: StampStorage
  private let floodFinished: StampStorage

  init(plan: PriorityMixPlan) throws(WorkloadError) {
    self.plan = plan
    storage = try SlotStorage(for: "priority-mix", count: plan.flood + plan.samples)
    started = try StampStorage(for: "priority-mix", count: plan.samples)
    floodFinished = try StampStorage(for: "priority-mix", count: plan.flood)
  }

  package var operationsPerIteration: Int { plan.flood + plan.samples }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let plan = plan
    let hold = plan.holdNanoseconds(workers: scheduler.workerCount)
    var submitted = [UInt64](repeating: 0, count: plan.samples)
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    var flood = makeFlood(holding: hold)
    var urgent = makeUrgent()
    recorder.built()
    queue?.addOperations(flood, waitUntilFinished: false)
    for sample in 0..<plan.samples {
      WorkerHold.sleep(nanoseconds: plan.intervalNanoseconds)
      submitted[sample] = MonotonicClock.nanoseconds()
      queue?.addOperation(urgent[sample])
    }
    try TimedIteration.wait(for: queue, "priority-mix")
    withExtendedLifetime((queue, flood, urgent)) { recorder.ran() }
    flood = []
    urgent = []
    queue = nil
    recorder.released()
    try storage.checkIteration(of: "priority-mix")
    let latencies = plan.latencies(
      submitted: submitted, started: started.values, floodEnd: floodFinished.values.max() ?? 0)
    for latency in latencies { recorder.latency(nanoseconds: latency) }
  }

  private func makeFlood(holding hold: UInt64) -> [Operation] {
    let slots = storage.slots
    let finished = floodFinished.stamps
    return (0..<plan.flood).map { index in
      let operation = BlockOperation {
        slots.increment(index)
        finished[index] = WorkerHold.spin(nanoseconds: hold)
      }
      operation.queuePriority = .low
      return operation
    }
  }

  private func makeUrgent() -> [Operation] {
    let slots = storage.slots
    let stamps = started.stamps
    let base = plan.flood
    return (0..<plan.samples).map { sample in
      let operation = BlockOperation {
        stamps[sample] = MonotonicClock.nanoseconds()
        slots.increment(base + sample)
      }
      operation.queuePriority = .high
      return operation
    }
  }
}

extension WorkloadDescription {
  /// Urgent operations under a flood.
  package static let priorityMix = WorkloadDescription(
    name: "priority-mix",
    summary: "latency of high-priority operations under a flood of low-priority ones",
    notShown: "throughput: the bodies hold their workers on purpose",
    tags: ["latency", "priority"],
    axes: [
      Axis(
        name: "flood", summary: "low-priority operations, 5 µs of all workers each", smoke: 200,
        quick: 1000, real: 20_000, legal: 1...10_000_000, warmUp: 4000),
      Axis(
        name: "samples", summary: "high-priority operations", smoke: 5, quick: 40, real: 200,
        legal: 1...1_000_000, warmUp: 40),
    ],
    metrics: ["latency"],
    make: { parameters throws(WorkloadError) in
      try PriorityMix(
        plan: PriorityMixPlan(flood: parameters["flood"], samples: parameters["samples"]))
    })
}
