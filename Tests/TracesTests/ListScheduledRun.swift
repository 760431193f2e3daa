// SPDX-License-Identifier: Apache-2.0

import Traces

/// A recording made by a small list scheduler: what a run on few workers would have looked like.
struct ListScheduledRun {
  /// A fault that the scheduler, the machine or the program has from begin to end, or up to a time.
  enum Plant: CaseIterable {
    case wakesNobody, workerHeld, wrongVictim, limitOfOne, barriers, neighbour

    var cause: WaitCause {
      switch self {
      case .wakesNobody: .nobodyAwake
      case .workerHeld: .workerHeld
      case .wrongVictim: .lookingElsewhere
      case .limitOfOne: .limit
      case .barriers: .barrier
      case .neighbour: .operatingSystem
      }
    }

    /// Worker 0 runs everything.
    var leavesOneWorker: Bool {
      switch self {
      case .wakesNobody, .workerHeld, .wrongVictim, .limitOfOne: true
      case .barriers, .neighbour: false
      }
    }
  }

  var workers = 2
  var operations = 400
  /// Predecessors per operation, at most; 0 makes all ready at once.
  var predecessors = 0
  var run: ClosedRange<Int64> = 1_000...3_000
  var plant: Plant?
  /// What is planted from `switches` on, instead of `plant`.
  var later: Plant?
  var switches = Int64.max
  var seed: UInt64 = 1

  static let handingOver: Int64 = 100
  static let release: Int64 = 20
  static let spin: Int64 = 2_000
  static let wakeLatency: Int64 = 3_000
  static let neighbourTakes: Int64 = 60_000
  static let batch = 100

  func trace() -> Trace {
    var scheduler = TestListScheduler(self)
    return scheduler.schedule()
  }

  /// The part of all waiting that lies before `switches`.
  func shareBeforeSwitch(_ trace: Trace) -> Double {
    var before: Int64 = 0
    var all: Int64 = 0
    for operation in trace.operations {
      guard let ready = operation.ready, let start = operation.started else { continue }
      all += start - ready
      before += max(0, min(start, switches) - ready)
    }
    return Double(before) / Double(all)
  }
}

/// Draws from a seed, the same on every machine.
struct SeededDraws: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15
  }
}

private struct TestListScheduler {
  private let plan: ListScheduledRun
  private var hand: HandTrace
  private var draws: SeededDraws
  private var now: Int64 = 0
  private var missing: [Int] = []
  private var successors: [[Int]] = []
  private var ready: [Int] = []
  private var head = 0
  /// By worker: what it runs and until when, or since when it has been free.
  private var running: [(operation: Int, end: Int64)?]
  private var freeSince: [Int64]

  init(_ plan: ListScheduledRun) {
    self.plan = plan
    hand = HandTrace(workers: plan.workers)
    draws = SeededDraws(seed: plan.seed)
    running = Array(repeating: nil, count: plan.workers)
    freeSince = Array(repeating: 0, count: plan.workers)
  }

  mutating func schedule() -> Trace {
    hand.startWorkers()
    makeGraph()
    var unfinished = plan.operations
    while unfinished > 0 {
      assign()
      let next = running.compactMap { $0?.end }.min() ?? now
      now = next
      for worker in running.indices {
        guard let (operation, end) = running[worker], end <= now else { continue }
        running[worker] = nil
        freeSince[worker] = end
        unfinished -= 1
        finish(operation, on: worker)
      }
    }
    plantEvents()
    return hand.sorted
  }

  private mutating func makeGraph() {
    missing = Array(repeating: 0, count: plan.operations)
    successors = Array(repeating: [], count: plan.operations)
    for index in 0..<plan.operations {
      var operation = TracedOperation(queue: 0)
      operation.enqueued = 0
      hand.trace.operations.append(operation)
      for predecessor in before(index) {
        let kind: TraceEdge.Kind = plan.plant == .barriers ? .barrier : .dependency
        hand.trace.edges.append(TraceEdge(UInt32(predecessor), UInt32(index), kind))
        successors[predecessor].append(index)
        missing[index] += 1
      }
    }
    for index in missing.indices where missing[index] == 0 { makeReady(index, at: 0) }
  }

  private mutating func before(_ index: Int) -> Set<Int> {
    if plan.plant == .barriers {
      let batch = ListScheduledRun.batch
      let place = index % batch
      if place == batch - 1 { return Set(index - place..<index) }
      return index >= batch ? [index - place - 1] : []
    }
    guard plan.predecessors > 0, index > 0 else { return [] }
    let count = Int.random(in: 0...plan.predecessors, using: &draws)
    return Set((0..<count).map { _ in Int.random(in: max(0, index - 20)..<index, using: &draws) })
  }

  private mutating func makeReady(_ index: Int, at time: Int64) {
    // Barriers are policy: dependencies alone would have let everything start at once.
    hand.trace.operations[index].ready = plan.plant == .barriers ? 0 : time
    ready.append(index)
  }

  private mutating func finish(_ index: Int, on worker: Int) {
    for successor in successors[index] {
      missing[successor] -= 1
      if missing[successor] == 0 {
        hand.trace.operations[successor].releasedBy = Int32(index)
        makeReady(successor, at: now + ListScheduledRun.release)
      }
    }
  }

  private mutating func assign() {
    let active = plan.plant?.leavesOneWorker == true ? 1 : plan.workers
    while head < ready.count {
      let free = (0..<active).filter { running[$0] == nil }
      // Who has been free for the shortest time is still awake.
      guard let worker = free.max(by: { freeSince[$0] < freeSince[$1] }) else { return }
      start(ready[head], on: worker)
      head += 1
    }
  }

  private mutating func start(_ index: Int, on worker: Int) {
    typealias Run = ListScheduledRun
    let operation = hand.trace.operations[index]
    let trigger = max(now, plan.plant == .barriers ? now : operation.ready ?? now)
    let since = freeSince[worker]
    var start = trigger + Run.handingOver
    if trigger - since > Run.spin + Run.release {
      hand.event(since + Run.release, worker, .searchBegins)
      hand.event(since + Run.release + Run.spin, worker, .park)
      let waker =
        operation.releasedBy < 0 ? 0 : Int(hand.trace.operations[Int(operation.releasedBy)].thread)
      hand.event(trigger + 30, waker, .wake, other: worker)
      hand.event(trigger + 30 + Run.wakeLatency, worker, .unpark)
      start = trigger + 30 + Run.wakeLatency + Run.handingOver
    } else if trigger > since + Run.release {
      hand.event(since + Run.release, worker, .searchBegins)
      hand.event(trigger + Run.handingOver / 2, worker, .searchEnds)
    }
    var end = start + Int64.random(in: plan.run, using: &draws)
    if isPlanted(.neighbour, at: start) {
      end += Run.neighbourTakes
      hand.event(end, worker, .waitedForProcessor, other: Int(Run.neighbourTakes))
    }
    hand.trace.operations[index].started = start
    hand.trace.operations[index].finished = end
    hand.trace.operations[index].thread = Int32(worker)
    hand.trace.operations[index].outcome = .finished
    running[worker] = (index, end)
  }

  private func isPlanted(_ plant: ListScheduledRun.Plant, at time: Int64) -> Bool {
    time < plan.switches ? plan.plant == plant : plan.later == plant
  }

  /// What the planted fault leaves in the recording of the workers that run nothing.
  private mutating func plantEvents() {
    plantEvents(plan.plant, from: 1, to: min(now, plan.switches))
    if plan.switches < now { plantEvents(plan.later, from: plan.switches, to: now) }
  }

  private mutating func plantEvents(
    _ plant: ListScheduledRun.Plant?, from begin: Int64, to end: Int64
  ) {
    guard let plant, plant.leavesOneWorker else { return }
    for worker in 1..<plan.workers {
      switch plant {
      case .wakesNobody: hand.event(begin, worker, .park)
      case .limitOfOne:
        hand.event(begin, worker, .park)
        hand.trace.queues[0].limit = begin == 1 ? 1 : nil
        if begin > 1 { hand.policy(begin, .limit, 1) }
        hand.policy(end, .limit, -1)
      case .workerHeld:
        hand.event(begin, worker, .jobBegins)
        hand.event(end, worker, .jobEnds)
      case .wrongVictim:
        hand.event(begin, worker, .searchBegins)
        for time in stride(from: begin + 500, through: end, by: 500) {
          hand.event(time, worker, .stealFails, other: worker)
        }
      case .barriers, .neighbour: break
      }
    }
  }
}
