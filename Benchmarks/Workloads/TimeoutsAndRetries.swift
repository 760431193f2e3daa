// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Operations that fail a few times and are retried, inside of limits that they keep or break.
///
/// Stresses: composites: operations that make, watch and cancel others. Does not show: the cost of
/// a plain operation. Every fourth would sleep for longer than its limit and has to be ended by it.
package final class TimeoutsAndRetries: Workload {
  private struct NotYet: Error {}

  private let count: Int
  private let failures: Int
  private let tries: TallyStorage
  private let limit: Duration

  init(count: Int, failures: Int, limit: Int) throws(WorkloadError) {
    self.count = count
    self.failures = failures
    self.limit = .nanoseconds(Int64(limit))
    tries = try TallyStorage(for: "timeout-retry")
  }

  package var operationsPerIteration: Int { count }

  private func isSlow(_ index: Int) -> Bool { index % 4 == 3 }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    _ = tries.take()  // what an iteration that failed has left
    let (failures, limit, tally) = (failures, limit, tries.tally)
    var timeouts: [TimeoutOperation<Int>] = []
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    for index in 0..<count {
      guard !isSlow(index) else {
        // Asynchronous, so that the limit and not the sleep frees the worker; so long that no stall
        // of the machine lets the sleep end first.
        let slow = ResultOperation { () async throws -> Int in
          try await Task.sleep(for: .seconds(3600))
          return index
        }
        timeouts.append(TimeoutOperation(slow, within: limit))
        continue
      }
      let retried = RetryOperation<Int>(RetryPolicy(attempts: failures + 1, delay: .zero)) {
        attempt in
        ResultOperation {
          tally.count(checksum: UInt64(index), isLeaf: attempt > failures, depth: attempt)
          if attempt <= failures { throw NotYet() }
          return index
        }
      }
      timeouts.append(TimeoutOperation(retried, within: .seconds(3600)))
    }
    recorder.built()
    queue?.addOperations(timeouts, waitUntilFinished: false)
    try TimedIteration.wait(for: queue, "timeout-retry")
    withExtendedLifetime((queue, timeouts)) { recorder.ran() }
    let wrong = timeouts.enumerated().count { index, operation in
      switch operation.result {
      case .success(let value)?: isSlow(index) || value != index
      case .failure?, nil: !isSlow(index)
      }
    }
    timeouts = []
    queue = nil
    recorder.released()
    guard wrong == 0 else {
      throw WrongAnswer(
        message: "timeout-retry: \(wrong) operations ended as others should; expected none")
    }
    var expected = TallyTotals()
    for index in 0..<count where !isSlow(index) {
      for attempt in 1...failures + 1 {
        expected.count(checksum: UInt64(index), isLeaf: attempt > failures, depth: attempt)
      }
    }
    try tries.check("timeout-retry", expected: expected)
  }
}

extension WorkloadDescription {
  /// Timeouts around retries.
  package static let timeoutsAndRetries = WorkloadDescription(
    name: "timeout-retry",
    summary: "operations that fail and are retried, inside of limits; a quarter breaks its limit",
    notShown: "the cost of a plain operation",
    tags: ["throughput", "cancellation", "blocking"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 40, quick: 500, real: 5000, legal: 1...1_000_000),
      Axis(name: "failures", summary: "attempts that fail", always: 2, legal: .numbers(0...100)),
      Axis(
        name: "limit-ns", summary: "ns after which a slow one is ended", smoke: 100_000,
        quick: 1_000_000, real: 1_000_000, legal: 1000...1_000_000_000),
    ],
    iterationSeconds: { Double($0["n"]) * 10e-6 },
    make: { parameters throws(WorkloadError) in
      try TimeoutsAndRetries(
        count: parameters["n"], failures: parameters["failures"], limit: parameters["limit-ns"])
    })
}
