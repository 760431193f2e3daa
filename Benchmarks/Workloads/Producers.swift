// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Closures without dependencies, added by several threads, to one queue or to several of one pool.
///
/// Stresses: what submitters and workers share: the injector, a queue's count and its registry.
/// Does not show: dependency release. The threads wait, asleep, when the figures begin.
package final class Producers: Workload {
  private let threads: Int
  private let queues: Int
  private let count: Int
  private let limit: Int
  private let storage: SlotStorage

  init(threads: Int, queues: Int, count: Int, limit: Int) throws(WorkloadError) {
    self.threads = threads
    self.queues = queues
    self.count = count
    self.limit = limit
    storage = try SlotStorage(for: "producers", count: threads * count)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, count, limit) = (storage.slots, count, limit)
    var shared = (0..<queues).map { _ in
      let queue = OperationQueue(scheduler: scheduler)
      if limit > 0 { queue.maxConcurrentOperationCount = limit }
      return queue
    }
    let members = shared
    let team = try ThreadTeam(threads, for: "producers") { thread in
      for index in thread * count..<(thread + 1) * count {
        members[index % members.count].addOperation { slots.increment(index) }
      }
    }
    recorder.begin()
    recorder.built()
    team.go()
    team.join()
    for queue in shared { try TimedIteration.wait(for: queue, "producers") }
    recorder.ran()
    shared = []
    recorder.released()
    try storage.checkIteration(of: "producers")
  }
}

extension WorkloadDescription {
  /// Several submitters.
  package static let producers = WorkloadDescription(
    name: "producers",
    summary: "closures added by several threads, to one queue or several, with or without a limit",
    notShown: "dependency release",
    tags: ["throughput", "contention", "closures"],
    runsByDefault: false,
    axes: [
      Axis(name: "threads", summary: "submitting threads", always: 2, legal: .numbers(1...256)),
      Axis(name: "queues", summary: "queues, in turn", always: 1, legal: .numbers(1...10_000)),
      Axis(
        name: "limit", summary: "operations of a queue at once; 0 for no limit", always: 0,
        legal: .numbers(0...1024)),
      Axis(
        name: "n", summary: "operations of a thread", smoke: 200, quick: 20_000, real: 200_000,
        legal: 1...10_000_000),
    ],
    make: { parameters throws(WorkloadError) in
      try Producers(
        threads: parameters["threads"], queues: parameters["queues"], count: parameters["n"],
        limit: parameters["limit"])
    })
}
