// SPDX-License-Identifier: Apache-2.0

/// The workers of a simulation and what happens next.
struct VirtualMachine<Pool: ReadyPool> {
  /// Something that happens at an instant; the earliest is the greatest.
  private struct Event: Comparable {
    enum Kind: UInt8 {
      /// The body has returned: the worker is free.
      case returns
      /// The operation has finished.
      case finishes
      /// It is added.
      case arrives
    }
    var time: Int64
    var operation: Int32
    var kind: Kind

    static func < (one: Event, other: Event) -> Bool {
      if one.time != other.time { return one.time > other.time }
      return one.operation != other.operation
        ? one.operation > other.operation : one.kind.rawValue > other.kind.rawValue
    }
  }

  private let graph: SimulatedGraph
  private let options: SimulationOptions
  private var pool: Pool
  private var events = Heap<Event>()
  /// What comes from outside, by time; `nextArrival` is the first that has not come.
  private let arrivals: [Int32]
  private var nextArrival = 0
  /// Dependencies that have not finished; -1 more while it is not added.
  private var missing: [Int32]
  private var gates: [QueueGate]
  /// Workers without work, the lowest on top.
  private var idle = Heap<IdleWorker>()
  /// What this instant makes ready, and who made it so.
  private var ready: [(operation: Int32, worker: Int32)] = []
  /// Workers that this instant makes free.
  private var freed: [Int] = []
  private var schedule: SimulatedSchedule

  private struct IdleWorker: Comparable {
    var worker: Int
    static func < (one: IdleWorker, other: IdleWorker) -> Bool { one.worker > other.worker }
  }

  init(_ graph: SimulatedGraph, _ options: SimulationOptions, _ pool: Pool) {
    self.graph = graph
    self.options = options
    self.pool = pool
    missing = graph.dependencyCounts.map { $0 + 1 }
    arrivals = (0..<Int32(graph.count)).filter { graph.spawners[Int($0)] < 0 }
      .sorted { (graph.arrivals[Int($0)], $0) < (graph.arrivals[Int($1)], $1) }
    gates = graph.limits.map { QueueGate(limit: $0.map { Int(max($0, 0)) } ?? .max) }
    for worker in 0..<options.workers { idle.push(IdleWorker(worker: worker)) }
    schedule = SimulatedSchedule(options: options, count: graph.count)
  }

  /// Goes from instant to instant until nothing is left to happen.
  mutating func run() -> SimulatedSchedule {
    while let now = nextInstant {
      ready.removeAll(keepingCapacity: true)
      freed.removeAll(keepingCapacity: true)
      while let event = events.greatest, event.time == now {
        handle(events.popGreatest())
      }
      while nextArrival < arrivals.count, graph.arrivals[Int(arrivals[nextArrival])] == now {
        resolve(arrivals[nextArrival], from: -1)
        nextArrival += 1
      }
      ready.sort { $0.operation < $1.operation }
      for (operation, worker) in ready { admit(operation, from: Int(worker), now) }
      assign(now)
    }
    return schedule
  }

  private var nextInstant: Int64? {
    let arrival = nextArrival < arrivals.count ? graph.arrivals[Int(arrivals[nextArrival])] : nil
    guard let event = events.greatest?.time else { return arrival }
    return arrival.map { min($0, event) } ?? event
  }

  private mutating func handle(_ event: Event) {
    let operation = Int(event.operation)
    switch event.kind {
    case .returns:
      freed.append(Int(schedule.workers[operation]))
      if graph.delays[operation] == 0 {
        finish(event)
      } else {
        events.push(
          Event(
            time: event.time + graph.delays[operation], operation: event.operation, kind: .finishes)
        )
      }
    case .finishes: finish(event)
    case .arrives:
      resolve(event.operation, from: schedule.workers[Int(graph.spawners[operation])])
    }
  }

  private mutating func finish(_ event: Event) {
    let operation = Int(event.operation)
    schedule.makespan = event.time
    schedule.finished += 1
    // Who finished without a worker hands on from outside.
    let worker = graph.delays[operation] == 0 ? schedule.workers[operation] : -1
    for successor in graph.successors[operation] { resolve(successor, from: worker) }
    let queue = Int(graph.queues[operation])
    guard queue >= 0, let next = gates[queue].leave() else { return }
    pool.add(next, from: Int(worker))
  }

  private mutating func resolve(_ operation: Int32, from worker: Int32) {
    missing[Int(operation)] -= 1
    if missing[Int(operation)] == 0 { ready.append((operation, worker)) }
  }

  /// Hands a ready operation to the policy, unless its queue holds it back.
  private mutating func admit(_ operation: Int32, from worker: Int, _ now: Int64) {
    schedule.ready[Int(operation)] = now
    let queue = Int(graph.queues[Int(operation)])
    if queue >= 0, !gates[queue].enter(operation, priority: graph.priorities[Int(operation)]) {
      return
    }
    pool.add(operation, from: worker)
  }

  /// Gives work to idle workers: first to those with work of their own, then by number.
  private mutating func assign(_ now: Int64) {
    for worker in freed {
      if pool.hasOwn(worker) {
        start(on: worker, now)
      } else {
        idle.push(IdleWorker(worker: worker))
      }
    }
    while !pool.isEmpty, !idle.isEmpty {
      start(on: idle.popGreatest().worker, now)
    }
  }

  private mutating func start(on worker: Int, _ now: Int64) {
    let operation = pool.take(for: worker)
    let index = Int(operation)
    let start = now + options.overheadNanoseconds
    schedule.starts[index] = start
    schedule.workers[index] = Int32(worker)
    events.push(Event(time: start + graph.durations[index], operation: operation, kind: .returns))
    for child in graph.spawned[index] {
      events.push(
        Event(time: start + graph.arrivals[Int(child)], operation: child, kind: .arrives))
    }
  }
}

/// The limit of a queue: who may be in the scheduler's hands, and who waits.
struct QueueGate {
  private let limit: Int
  private var inside = 0
  /// The highest priority first, then the longest ready.
  private var waiting = Heap<Waiting>()
  private var number = 0

  private struct Waiting: Comparable {
    var priority: Int8
    var number: Int
    var operation: Int32

    static func < (one: Waiting, other: Waiting) -> Bool {
      one.priority != other.priority ? one.priority < other.priority : one.number > other.number
    }
  }

  init(limit: Int) { self.limit = limit }

  /// Whether the operation goes on; it waits here otherwise.
  mutating func enter(_ operation: Int32, priority: Int8) -> Bool {
    if inside < limit {
      inside += 1
      return true
    }
    waiting.push(Waiting(priority: priority, number: number, operation: operation))
    number += 1
    return false
  }

  /// One has finished; who goes on in its place.
  mutating func leave() -> Int32? {
    guard waiting.isEmpty else { return waiting.popGreatest().operation }
    inside -= 1
    return nil
  }
}
