// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Traces

/// Recordings such as a work-stealing scheduler leaves of a random layered graph.
///
/// A simulation in virtual time: every worker takes the newest operation that its own operations
/// made ready, else the oldest one of another worker, else it sleeps. Deterministic for a seed.
package struct PlausibleTrace {
  package var layers: Int
  package var width: Int
  package var workers: Int
  package var seed: UInt64

  package init(layers: Int, width: Int, workers: Int, seed: UInt64) {
    self.layers = layers
    self.width = width
    self.workers = workers
    self.seed = seed
  }

  /// Makes the recording.
  package func made() -> Trace {
    var simulation = Simulation(self)
    simulation.run()
    return simulation.trace
  }
}

/// An operation that is ready from a time on.
private struct Ready {
  var operation: Int
  var time: Int64
}

private struct Simulation {
  var trace: Trace
  private var random: SeededGenerator
  private var successors: [[Int]] = []
  private var missing: [Int] = []
  /// Ready operations of each worker, and at the end those that the program added.
  private var lists: [[Ready]]
  private var free: [Int64]
  private var idleSince: [Int64?]
  private let workers: Int

  private static let classes = ["closure", "CompileStep", "LinkStep", "TestStep"]

  init(_ plan: PlausibleTrace) {
    workers = plan.workers
    random = SeededGenerator(seed: plan.seed)
    lists = Array(repeating: [], count: plan.workers + 1)
    free = Array(repeating: 0, count: plan.workers)
    idleSince = Array(repeating: nil, count: plan.workers)
    trace = Trace(
      header: TraceHeader(
        scheduler: "work-stealing", workers: plan.workers, workload: "layered",
        parameters: "layers:\(plan.layers);seed:\(plan.seed);width:\(plan.width)"))
    trace.names += Self.classes + ["main", "build \"all\""]
    trace.threads = (0..<plan.workers).map {
      TraceThread(worker: Int32($0), systemID: Int32(100 + $0))
    }
    trace.threads.append(TraceThread(worker: -1, systemID: 99, name: 5))
    trace.queues = [TraceQueue(name: 6)]
    addOperations(plan)
  }

  private mutating func addOperations(_ plan: PlausibleTrace) {
    for layer in 0..<plan.layers {
      for place in 0..<plan.width {
        let index = trace.operations.count
        let kind = 1 + layer % Self.classes.count
        var operation = TracedOperation(kind: UInt32(kind), queue: 0)
        if kind > 1 {
          trace.names.append("\(Self.classes[kind - 1]) \(layer).\(place)")
          operation.name = UInt32(trace.names.count - 1)
        }
        operation.created = Int64(index) * 90
        operation.enqueued = Int64(index) * 90 + 40
        trace.operations.append(operation)
        successors.append([])
        missing.append(0)
        if layer > 0 { addEdges(to: index, first: index - place - plan.width, count: plan.width) }
        if missing[index] == 0 { submit(index, at: Int64(index) * 90 + 60) }
      }
    }
  }

  private mutating func addEdges(to index: Int, first: Int, count: Int) {
    var predecessors: Set<Int> = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      predecessors.insert(first + Int.random(in: 0..<count, using: &random))
    }
    for predecessor in predecessors.sorted() {
      trace.edges.append(TraceEdge(UInt32(predecessor), UInt32(index)))
      successors[predecessor].append(index)
      missing[index] += 1
    }
  }

  private mutating func submit(_ index: Int, at time: Int64) {
    trace.operations[index].ready = time
    lists[workers].append(Ready(operation: index, time: time))
  }

  mutating func run() {
    var left = trace.operations.count
    while left > 0, let worker = free.indices.min(by: { free[$0] < free[$1] }) {
      let now = free[worker]
      guard let (operation, victim) = take(worker, now) else {
        sleep(worker, now)
        continue
      }
      wake(worker, now)
      start(operation, on: worker, from: victim, now)
      left -= 1
    }
    let end = free.max() ?? 0
    for worker in free.indices {
      trace.schedulerEvents.append(
        SchedulerEvent(time: idleSince[worker] ?? end, thread: Int32(worker), kind: .park))
    }
    trace.schedulerEvents.sort { $0.time < $1.time }
    trace.header.durationNanoseconds = end + 500
  }

  /// The newest of the worker's own, else the oldest of the program's or of another worker.
  private mutating func take(_ worker: Int, _ now: Int64) -> (Int, victim: Int?)? {
    if let place = lists[worker].lastIndex(where: { $0.time <= now }) {
      return (lists[worker].remove(at: place).operation, nil)
    }
    let others = [workers] + (1..<max(1, workers)).map { (worker + $0) % workers }
    for other in others {
      guard let place = lists[other].firstIndex(where: { $0.time <= now }) else { continue }
      return (lists[other].remove(at: place).operation, other)
    }
    return nil
  }

  /// Until something becomes ready or another worker is through.
  private mutating func sleep(_ worker: Int, _ now: Int64) {
    if idleSince[worker] == nil { idleSince[worker] = now }
    let ready = lists.compactMap { $0.map(\.time).filter { $0 > now }.min() }
    let next = (ready + free.filter { $0 > now }).min() ?? now + 1
    free[worker] = next
  }

  private mutating func wake(_ worker: Int, _ now: Int64) {
    guard let since = idleSince[worker] else { return }
    idleSince[worker] = nil
    let parked = min(now, since + 3000)
    func add(_ kind: SchedulerEvent.Kind, _ time: Int64) {
      trace.schedulerEvents.append(SchedulerEvent(time: time, thread: Int32(worker), kind: kind))
    }
    add(.searchBegins, since)
    if parked < now {
      add(.park, parked)
      add(.unpark, now)
      free[worker] = now + 2500
    } else {
      add(.searchEnds, now)
    }
  }

  private mutating func start(_ index: Int, on worker: Int, from victim: Int?, _ now: Int64) {
    let start = free[worker] + (victim == nil ? 60 : 250)
    let length =
      Int64.random(in: 500...4000, using: &random) * Int64.random(in: 1...4, using: &random)
    let end = start + length
    trace.operations[index].thread = Int32(worker)
    trace.operations[index].processor = Int32(worker)
    trace.operations[index].started = start
    trace.operations[index].finished = end
    trace.operations[index].outcome = .finished
    switch victim {
    case nil: trace.operations[index].source = .ownDeque
    case workers: trace.operations[index].source = .injector
    case let victim?:
      trace.operations[index].source = .steal
      trace.operations[index].victim = Int32(victim)
      trace.schedulerEvents.append(
        SchedulerEvent(time: start, thread: Int32(worker), kind: .steal, other: Int32(victim)))
    }
    free[worker] = end
    for successor in successors[index] { release(successor, by: index, at: end, worker) }
  }

  private mutating func release(_ index: Int, by predecessor: Int, at time: Int64, _ worker: Int) {
    missing[index] -= 1
    if time >= trace.operations[index].ready ?? .min {
      trace.operations[index].ready = time
      trace.operations[index].releasedBy = Int32(predecessor)
      trace.operations[index].thread = Int32(worker)
    }
    guard missing[index] == 0, let ready = trace.operations[index].ready else { return }
    let owner = Int(trace.operations[index].thread)
    lists[owner].append(Ready(operation: index, time: ready + 30))
    trace.operations[index].ready = ready + 30
  }
}
