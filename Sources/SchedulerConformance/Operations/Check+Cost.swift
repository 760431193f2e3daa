// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations
internal import Scheduling

extension Check {
  /// What operations cost that wait, and those that run beside them.
  static let cost: [Check] = [
    // Counts of what the operation layer asks of the scheduler, instead of times.
    Check("submissionsGrowLinearly", .contract(134), on: .usual) { trial in
      func submissions(_ count: Int, behindGate: Bool) -> Int {
        let scheduler = CountingScheduler(trial.makeScheduler())
        let queue = OperationQueue(scheduler: scheduler)
        let gate = Operation()
        for _ in 0..<count {
          let operation = Operation()
          if behindGate { operation.addDependency(gate) }
          queue.addOperation(operation)
        }
        queue.addOperation(gate)
        trial.expectQuiet(queue)
        return scheduler.submittedJobs
      }
      for behindGate in [false, true] {
        let small = submissions(1_000, behindGate: behindGate)
        let large = submissions(16_000, behindGate: behindGate)
        trial.expect(
          large <= 16 * small + 16, "16 times as many jobs for 16 000 operations as for 1 000",
          found: "\(large) and \(small)")
        trial.expect(small <= 1_002, "at most one job per operation", found: "\(small) for 1 001")
      }
    },
    // Quadratic cost would be sixteen times as much per operation.
    Check("anOperationCostsTheSameHoweverManyWait", .contract(36, 134), on: .usual) { trial in
      func nanosecondsPerOperation(_ count: Int) -> Double {
        let queue = trial.queue()
        let gate = Operation()
        let operations = (0..<count).map { _ in Operation() }
        let start = MonotonicTime.nanoseconds()
        for operation in operations {
          operation.addDependency(gate)
          queue.addOperation(operation)
        }
        for operation in operations.prefix(count / 4) { operation.queuePriority = .high }
        for operation in operations.suffix(count / 4) { operation.cancel() }
        queue.addOperation(gate)
        trial.expectQuiet(queue)
        return Double(MonotonicTime.nanoseconds() - start) / Double(count)
      }
      // The best of several: other programs only ever make a round slower.
      let small = (0..<5).map { _ in nanosecondsPerOperation(1_000) }.min() ?? 0
      let large = (0..<3).map { _ in nanosecondsPerOperation(16_000) }.min() ?? 0
      trial.expect(
        large < 8 * small,
        "less than 8 times as much per operation with 16 000 waiting as with 1 000",
        found: "\(Int(large)) ns and \(Int(small)) ns")
    },
    Check("waitingOperationsHoldNoThread", .contract(136)) { trial in
      let queue = trial.queue()
      let gate = Operation()
      let before = ProcessThreads.count
      let waiting = (0..<2_000).map { _ in
        let operation = TestOperation()
        operation.addDependency(gate)
        return operation
      }
      queue.addOperations(waiting, waitUntilFinished: false)
      let others = (0..<200).map { _ in TestOperation() }
      queue.addOperations(others, waitUntilFinished: true)
      let threads = ProcessThreads.count
      // The rest of the program may start some as well.
      trial.expect(
        threads - before <= trial.workers + waiting.count / 10,
        "no thread per waiting operation",
        found: "\(before) threads before, \(threads) with 2 000 waiting")
      trial.expect(others.allSatisfy { $0.runCount == 1 }, "others to run meanwhile")
      trial.expect(waiting.allSatisfy { $0.runCount == 0 }, "those that wait not to run")
      gate.start()
      trial.expectQuiet(queue)
      trial.expect(waiting.allSatisfy { $0.runCount == 1 }, "all to run in the end")
    },
  ]
}
