// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Traces

/// What a recording as large as the suite promises to analyse costs; in release alone, since a
/// debug build takes many times as long.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["BENCH_LONG_TESTS"] == "1",
    "analyses a million operations; BENCH_LONG_TESTS=1 includes it"))
struct LargeTraceTests {
  private static let operations = 1_000_000
  private static let edgesPerOperation = 3
  private static let workers = 16

  @Test(.timeLimit(.minutes(5)))
  func aMillionOperationsTakeSecondsAndLessThanAGigabyte() throws {
    let trace = Self.trace()
    #expect(trace.operations.count == Self.operations)
    #expect(trace.edges.count > (Self.edgesPerOperation - 1) * Self.operations)
    let clock = ContinuousClock()
    var report: TraceReport?
    let time = clock.measure { report = TraceReport(trace) }
    let graph = try #require(report?.graph)
    #expect(graph.causes.total.total == report?.latency.all.readyWait.totalNanoseconds)
    #expect(graph.realisedPath.total == report?.window.makespan)
    let peak = try Self.peakKilobytes()
    print(
      "analysed \(trace.operations.count) operations, \(trace.edges.count) edges,"
        + " \(trace.schedulerEvents.count) events in \(time), peak \(peak / 1_024) MiB")
    #expect(peak < 1_000_000_000 / 1_024)
    #if !DEBUG
      #expect(time < .seconds(10))
    #endif
  }

  /// The most memory that this process has had, the recording itself included.
  private static func peakKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
    return try #require(Int(fields[1]))
  }

  /// Operations dealt to workers in turn, each behind some of the last hundred; a worker that waits
  /// long sleeps.
  private static func trace() -> Trace {
    var trace = Trace(header: TraceHeader(scheduler: "large", workers: workers))
    trace.names = ["", "a", "b", "c", "d"]
    trace.threads = (0..<workers).map { TraceThread(worker: Int32($0)) }
    trace.queues = [TraceQueue(), TraceQueue(limit: Int32(workers / 2))]
    trace.operations.reserveCapacity(operations)
    trace.edges.reserveCapacity(operations * edgesPerOperation)
    var draws = SeededDraws(seed: 7)
    var free = [Int64](repeating: 0, count: workers)
    for index in 0..<operations {
      let worker = index % workers
      var operation = TracedOperation(
        name: UInt32(draws.next() % 4) + 1, kind: UInt32(index % 3) + 1, queue: Int32(index % 2),
        priority: Int8(index % 5) * 4 - 8)
      var ready: Int64 = 0
      if index >= 100 {
        for _ in 0..<edgesPerOperation {
          let predecessor = index - 17 - Int(draws.next() % 80)
          trace.edges.append(TraceEdge(UInt32(predecessor), UInt32(index)))
          let finished = trace.operations[predecessor].finished ?? 0
          if finished >= ready { operation.releasedBy = Int32(predecessor) }
          ready = max(ready, finished)
        }
      }
      if ready > free[worker] + 5_000 {
        let waker = (worker + 1) % workers
        trace.schedulerEvents += [
          SchedulerEvent(time: free[worker] + 50, thread: Int32(worker), kind: .searchBegins),
          SchedulerEvent(time: free[worker] + 2_000, thread: Int32(worker), kind: .park),
          SchedulerEvent(time: ready + 50, thread: Int32(waker), kind: .wake, other: Int32(worker)),
          SchedulerEvent(time: ready + 900, thread: Int32(worker), kind: .unpark),
        ]
        free[worker] = ready + 900
      }
      operation.enqueued = 0
      operation.ready = ready
      let start = max(free[worker], ready) + 100
      operation.started = start
      operation.finished = start + 1_000 + Int64(draws.next() % 20_000)
      operation.thread = Int32(worker)
      operation.outcome = .finished
      free[worker] = operation.finished ?? start
      trace.operations.append(operation)
    }
    trace.schedulerEvents.sort { $0.time < $1.time }
    for worker in 0..<workers {
      trace.schedulerEvents.insert(
        SchedulerEvent(time: 0, thread: Int32(worker), kind: .start), at: 0)
    }
    return trace
  }
}
