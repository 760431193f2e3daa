// SPDX-License-Identifier: Apache-2.0

import Traces

/// Recordings for tests of the file: one with everything in it, and random ones.
enum SampleTraces {
  /// Every property of every row differs from what a new row has.
  static func everything() -> Trace {
    var header = TraceHeader(
      scheduler: "work-stealing", workers: 3, workload: "chain", parameters: "n:4;seed:42",
      detail: .latency, clock: .timeStampCounter, durationNanoseconds: 12_345)
    header.clockDriftNanoseconds = -7
    header.clockSkewNanoseconds = 40
    header.droppedEvents = 5
    header.neededRingEvents = 4_096
    var trace = Trace(header: header)
    trace.names = ["", "compile α.c", "BlockOperation", "worker 0", "main", "first"]
    trace.threads = [
      TraceThread(worker: 0, systemID: 4_711, name: 3),
      TraceThread(worker: -1, systemID: 1, name: 4),
    ]
    trace.queues = [TraceQueue(name: 4, limit: 2, isSuspended: true), TraceQueue(limit: 0)]
    var operation = TracedOperation(name: 1, kind: 2, queue: 1, priority: -8)
    operation.source = .steal
    operation.outcome = .failed
    operation.heldBy = .condition
    operation.isSkipped = true
    operation.isBarrier = true
    operation.parent = 1
    operation.releasedBy = 1
    operation.thread = 1
    operation.victim = 2
    operation.processor = 7
    operation.created = 1
    operation.enqueued = 2
    operation.ready = 30
    operation.admitted = 40
    operation.started = 50
    operation.returned = 60
    operation.finished = 70
    operation.cancelRequested = 65
    var second = TracedOperation(kind: 2)
    second.started = -3
    second.finished = .max
    trace.operations = [operation, second]
    trace.edges = [TraceEdge(1, 0, .barrier), TraceEdge(0, 1)]
    trace.schedulerEvents = [
      SchedulerEvent(time: 5, thread: 1, kind: .steal, other: 2),
      SchedulerEvent(time: 9, thread: 0, kind: .unblocks),
    ]
    trace.queueEvents = [QueueEvent(time: 8, queue: 1, kind: .suspension, value: 1)]
    trace.marks = [TraceMark(time: 11, name: 5)]
    return trace
  }

  /// A recording of so many operations that wait for up to three earlier ones each.
  static func random(_ count: Int, seed: UInt64) -> Trace {
    var random = SampleGenerator(seed: seed)
    var trace = Trace(header: TraceHeader(workers: 4))
    trace.names = ["", "closure"]
    trace.threads = (0..<4).map { TraceThread(worker: $0, systemID: 100 + $0) }
    trace.queues = [TraceQueue()]
    for index in 0..<count {
      var operation = TracedOperation(kind: 1, queue: 0, priority: Int8(random.below(3)) * 4 - 4)
      let time = Int64(index) * 300
      operation.enqueued = time
      operation.ready = time + Int64(random.below(2_000))
      operation.started = operation.ready.map { $0 + Int64(random.below(500)) }
      operation.finished = operation.started.map { $0 + Int64(random.below(10_000)) }
      operation.outcome = .finished
      operation.source = random.below(4) == 0 ? .steal : .ownDeque
      operation.thread = Int32(random.below(4))
      trace.operations.append(operation)
      for _ in 0..<min(index, random.below(4)) {
        trace.edges.append(
          TraceEdge(UInt32(index - 1 - random.below(min(index, 50))), UInt32(index)))
      }
    }
    return trace
  }
}

/// Draws of a seed.
struct SampleGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 2 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 32) | (state << 32)
  }

  /// 0 ..< bound.
  mutating func below(_ bound: Int) -> Int { Int(next() & 0x7FFF_FFFF) % bound }
}
