// SPDX-License-Identifier: Apache-2.0

internal import CKernels
package import Harness
internal import Operations
package import Scheduling

/// Operations of which a share blocks its thread: sleeps, reads a file, or waits for another
/// operation.
///
/// Stresses: what happens to the rest while threads are blocked, under each policy. Does not show:
/// throughput without blocking. `latency` is that of the operations that do not block, from the
/// addition of all to the start of each.
package final class Blocking: Workload {
  /// How an operation blocks.
  enum Kind: String, CaseIterable {
    case sleep, read, wait
  }

  private let kind: Kind
  private let share: Int
  private let hold: UInt64
  private let policy: BlockingPolicy
  private let storage: SlotStorage
  private let started: StampStorage

  init(_ kind: Kind, share: Int, count: Int, hold: Int, policy: BlockingPolicy)
    throws(WorkloadError)
  {
    self.kind = kind
    self.share = share
    self.hold = UInt64(hold)
    self.policy = policy
    storage = try SlotStorage(for: "blocking", count: 2 * count)
    started = try StampStorage(for: "blocking", count: count)
  }

  package var operationsPerIteration: Int { started.count }

  private func blocks(_ index: Int) -> Bool { index * 37 % 100 < share }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let count = started.count
    var begin: UInt64 = 0
    let other = OperationQueue(scheduler: scheduler)
    try TimedIteration.run("blocking", on: scheduler, recorder: &recorder) { queue in
      queue.blockingPolicy = policy
      let waited = BorrowedQueue(other)
      begin = MonotonicClock.nanoseconds()
      for index in 0..<count { add(index, to: queue, waited) }
    }
    try TimedIteration.wait(for: other, "blocking")
    let slots = storage.slots
    // A wait has run its own operation; the others leave that slot alone.
    for index in count..<2 * count where kind != .wait || !blocks(index - count) {
      storage.overwrite(index, with: slots.value(index) &+ 1)
    }
    try storage.checkIteration(of: "blocking")
    for index in 0..<count where !blocks(index) {
      recorder.latency(nanoseconds: started.stamps[index] - min(begin, started.stamps[index]))
    }
  }

  private func add(_ index: Int, to queue: OperationQueue, _ waited: BorrowedQueue) {
    let (slots, stamps, hold, count) = (storage.slots, started.stamps, hold, started.count)
    guard blocks(index) else {
      queue.addOperation {
        stamps[index] = MonotonicClock.nanoseconds()
        slots.increment(index)
      }
      return
    }
    switch kind {
    case .sleep:
      queue.addOperation {
        OperationQueue.blocking { WorkerHold.sleep(nanoseconds: hold) }
        slots.increment(index)
      }
    case .read:
      queue.addOperation {
        // A body that read nothing has not done its work.
        if OperationQueue.blocking({ cfile_read() }) > 0 { slots.increment(index) }
      }
    case .wait:
      queue.addOperation {
        let operation = BlockOperation { slots.increment(count + index) }
        waited.addOperation(operation)
        operation.waitUntilFinished()
        slots.expect(count + index, at: slots.increment(index))
      }
    }
  }
}

/// Asynchronous closures that give their worker back several times before they end.
///
/// Stresses: suspending and resuming tasks on a scheduler's workers. Does not show: blocking
/// threads: see blocking.
package final class AsyncClosures: Workload {
  private let yields: Int
  private let storage: SlotStorage

  init(count: Int, yields: Int) throws(WorkloadError) {
    self.yields = yields
    storage = try SlotStorage(for: "async-closures", count: count)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, count, yields) = (storage.slots, storage.count, yields)
    try TimedIteration.run("async-closures", on: scheduler, recorder: &recorder) {
      (0..<count).map { index in
        AsyncOperation(
          body: PlantedFault.task {
            for _ in 0..<yields { await Task.yield() }
            slots.increment(index)
          })
      }
    }
    try storage.checkIteration(of: "async-closures")
  }
}

extension WorkloadDescription {
  /// A share that blocks.
  package static let blocking = WorkloadDescription(
    name: "blocking",
    summary: "a share of operations sleeps, reads a file or waits; latency of the others",
    notShown: "throughput without blocking",
    tags: ["latency", "blocking"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "kind", summary: "how they block", always: "sleep",
        legal: .words(Blocking.Kind.allCases.map(\.rawValue))),
      Axis(
        name: "policy", summary: "what the queue does about it", always: "automatic",
        legal: .words(policies.map(\.0))),
      Axis(
        name: "share", summary: "operations that block, in %", always: 10, legal: .numbers(0...99)),
      Axis(
        name: "n", summary: "operations", smoke: 100, quick: 1000, real: 5000, legal: 2...1_000_000),
      Axis(
        name: "hold-ns", summary: "ns that a sleep takes", smoke: 10_000, quick: 100_000,
        real: 100_000, legal: 1000...1_000_000_000),
    ],
    metrics: ["latency"],
    iterationSeconds: { Double($0["n"] * $0["share"] * $0["hold-ns"]) * 2e-11 },
    make: { parameters throws(WorkloadError) in
      let policy = policies.first { $0.0 == parameters.word("policy") }?.1 ?? .automatic
      return try Blocking(
        Blocking.Kind(rawValue: parameters.word("kind")) ?? .sleep, share: parameters["share"],
        count: parameters["n"], hold: parameters["hold-ns"], policy: policy)
    })

  /// The policies under which a wait goes on.
  private static let policies: [(String, BlockingPolicy)] = [
    ("automatic", .automatic), ("help", .help), ("compensate", .compensate),
  ]

  /// Asynchronous closures.
  package static let asyncClosures = WorkloadDescription(
    name: "async-closures",
    summary: "asynchronous closures that give their worker back several times",
    notShown: "threads that block: see blocking",
    tags: ["throughput", "blocking", "closures"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 50, quick: 2000, real: 20_000, legal: 1...1_000_000
      ),
      Axis(
        name: "yields", summary: "times that a closure gives its worker back", always: 3,
        legal: .numbers(0...1000)),
    ],
    make: { parameters throws(WorkloadError) in
      try AsyncClosures(count: parameters["n"], yields: parameters["yields"])
    })
}
