// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Workloads

/// Urgent operations under a flood, as `PriorityMix` submits them.
final class FoundationPriorityMix: ReferenceWorkload {
  private let plan: PriorityMixPlan
  private let storage: SlotStorage
  private let started: StampStorage
  private let floodFinished: StampStorage

  init(flood: Int, samples: Int) throws(WorkloadError) {
    plan = PriorityMixPlan(flood: flood, samples: samples)
    storage = try SlotStorage(for: "priority-mix", count: flood + samples)
    started = try StampStorage(for: "priority-mix", count: samples)
    floodFinished = try StampStorage(for: "priority-mix", count: flood)
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let hold = plan.holdNanoseconds(workers: workers)
    var submitted = [UInt64](repeating: 0, count: plan.samples)
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    var flood = makeFlood(holding: hold)
    var urgent = makeUrgent()
    recorder.built()
    queue?.addOperations(flood, waitUntilFinished: false)
    for sample in 0..<plan.samples {
      WorkerHold.sleep(nanoseconds: plan.intervalNanoseconds)
      submitted[sample] = MonotonicClock.nanoseconds()
      queue?.addOperation(urgent[sample])
    }
    queue?.waitUntilAllOperationsAreFinished()
    withExtendedLifetime((queue, flood, urgent)) { recorder.ran() }
    FoundationIteration.release(&flood)
    FoundationIteration.release(&urgent)
    queue = nil
    recorder.released()
    try storage.checkIteration(of: "priority-mix on foundation")
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

/// One operation at a time on an idle queue, as `SubmitLatency` submits them.
final class FoundationSubmitLatency: ReferenceWorkload {
  private let storage: SlotStorage
  private let started: StampStorage

  init(samples: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "submit-latency", count: samples)
    started = try StampStorage(for: "submit-latency", count: samples)
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let slots = storage.slots
    let stamps = started.stamps
    var submitted = [UInt64](repeating: 0, count: storage.count)
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    recorder.built()
    for sample in submitted.indices {
      WorkerHold.spin(nanoseconds: SubmitLatency.gapNanoseconds)
      submitted[sample] = MonotonicClock.nanoseconds()
      queue?.addOperation {
        stamps[sample] = MonotonicClock.nanoseconds()
        slots.increment(sample)
      }
      queue?.waitUntilAllOperationsAreFinished()
    }
    withExtendedLifetime(queue) { recorder.ran() }
    queue = nil
    recorder.released()
    try storage.checkIteration(of: "submit-latency on foundation")
    for latency in try SubmitLatency.latencies(submitted: submitted, started: started.values) {
      recorder.latency(nanoseconds: latency)
    }
  }
}
