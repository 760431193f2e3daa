// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import Operations
import Scheduling
import Testing
import ThreadPoolBackend
import Traces
import WorkStealingBackend

@testable import Profiling

/// Every test that records, one after the other: a process has one recording at a time.
@Suite(.serialized) struct RecordingTests {}

/// The schedulers that tests record.
enum Kind: String, CaseIterable, CustomTestStringConvertible {
  case inline
  case dispatch
  case threadPool = "thread-pool"
  case workStealing = "work-stealing"

  var testDescription: String { rawValue }

  func make(workers: Int) -> any Scheduler {
    switch self {
    case .inline: InlineScheduler()
    case .dispatch: DispatchScheduler(workers: workers)
    case .threadPool: ThreadPoolScheduler(workers: workers)
    case .workStealing: WorkStealingScheduler(workers: workers)
    }
  }
}

/// Records what `body` does on a queue over a scheduler that ends with the recording.
func recording(
  on kind: Kind, workers: Int = 2, _ options: RecordingOptions = RecordingOptions(),
  _ body: (OperationQueue, Recorder) throws -> Void
) throws -> Trace {
  let scheduler = kind.make(workers: workers)
  let recorder = try Recorder.begin(options)
  let queue = OperationQueue(scheduler: scheduler)
  queue.name = "recorded"
  try body(queue, recorder)
  queue.waitUntilAllOperationsAreFinished()
  let trace = recorder.end(scheduler: kind.rawValue, workers: workers)
  scheduler.shutDown()
  return trace
}

extension Trace {
  /// The operations of that name.
  func operations(named name: String) -> [TracedOperation] {
    operations.filter { names[Int($0.name)] == name }
  }

  /// The only operation of that name.
  func operation(_ name: String) throws -> TracedOperation {
    let found = operations(named: name)
    return try #require(found.count == 1 ? found.first : nil, "operations named \(name)")
  }

  /// The index of the only operation of that name.
  func index(_ name: String) throws -> Int {
    let index = operations.firstIndex { names[Int($0.name)] == name }
    return try #require(index, "operation named \(name)")
  }

  func count(_ kind: SchedulerEvent.Kind) -> Int { schedulerEvents.count { $0.kind == kind } }
}

extension TracedOperation {
  /// Its times in the order in which they must come; those that nobody told are left out.
  var times: [Int64] {
    [created, enqueued, ready, admitted, started, returned, finished].compactMap { $0 }
  }

  func hasOrderedTimes(within skew: Int64) -> Bool {
    zip(times, times.dropFirst()).allSatisfy { $0 <= $1 + max(0, skew) }
  }
}
