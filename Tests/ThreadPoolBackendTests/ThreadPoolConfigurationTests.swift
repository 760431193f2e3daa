// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import TestSupport
import Testing
import ThreadPoolBackend

/// Every setting changes what the threads do, and illegal ones are refused.
@Suite struct ThreadPoolConfigurationTests {
  private final class Log: Sendable {
    private let numbers = Locked<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var entries: [Int] { numbers.withLock { $0 } }
  }

  private func scheduler(
    workers: Int = 1, _ change: (inout ThreadPoolConfiguration) -> Void
  ) -> ThreadPoolScheduler {
    var configuration = ThreadPoolConfiguration()
    change(&configuration)
    return ThreadPoolScheduler(workers: workers, configuration: configuration)
  }

  @Test(arguments: WorkerPinning.allCases)
  func pinnedThreadsHaveOneProcessorEach(pinning: WorkerPinning) {
    let scheduler = scheduler(workers: 3) { $0.pinning = pinning }
    let probes = ThreadProbe.workers(3, of: scheduler)
    #expect(probes.count == 3)
    let order = ProcessorTopology.ofThisThread().order(for: pinning)
    for probe in probes {
      let index = probe.name.split(separator: "-").last.flatMap { Int($0) } ?? 0
      let expected =
        order.map { String($0[index % $0.count].number) }
        ?? ThreadProbe.current.allowedProcessors
      #expect(probe.allowedProcessors == expected, "\(probe.name)")
    }
  }

  /// At least that much: the C library may give a thread the stack of one that has ended.
  @Test(arguments: [32 << 20, 64 << 20])
  func threadsHaveTheStackAskedFor(bytes: Int) {
    let scheduler = scheduler { $0.stackSize = bytes }
    let seen = Log()
    scheduler.submit { seen.add(SystemThread.currentStackSize) }
    #expect(waitUntil { !seen.entries.isEmpty })
    #expect(seen.entries.allSatisfy { $0 >= bytes }, "\(seen.entries)")
  }

  @Test(arguments: [(PriorityPolicy.strict, [2, 0, 1]), (.none, [0, 1, 2])])
  func bandsCountUnlessTheyAreIgnored(policy: PriorityPolicy, expected: [Int]) {
    let scheduler = scheduler { $0.priorityPolicy = policy }
    let log = Log()
    scheduler.submit {
      scheduler.submit { log.add(0) }
      scheduler.submit(band: .low) { log.add(1) }
      scheduler.submit(band: .high) { log.add(2) }
    }
    #expect(waitUntil { log.entries.count == 3 })
    #expect(log.entries == expected)
  }

  /// The budget is time, of which a busy machine may give the thread little; so it gets several
  /// jobs.
  @Test func aThreadLooksForJobsAsLongAsItsSpinBudgetLasts() throws {
    let budget = 20_000_000
    let spinning = scheduler { $0.spinBudgetNanoseconds = UInt64(budget) }
    let probe = try #require(ThreadProbe.workers(1, of: spinning).first)
    #expect(waitUntil { uses(budget / 4, of: probe, afterAJobOf: spinning) }, "it spins")
    let sleeping = scheduler { $0.spinBudgetNanoseconds = 0 }
    let other = try #require(ThreadProbe.workers(1, of: sleeping).first)
    #expect(!uses(budget / 4, of: other, afterAJobOf: sleeping))
  }

  /// Whether the only worker uses that many nanoseconds of processor time in the 50 ms after a job.
  private func uses(
    _ nanoseconds: Int, of worker: ThreadProbe, afterAJobOf scheduler: ThreadPoolScheduler
  ) -> Bool {
    let atEnd = Log()
    scheduler.submit { atEnd.add(worker.processorNanoseconds) }
    #expect(waitUntil { !atEnd.entries.isEmpty })
    guard let before = atEnd.entries.first else { return false }
    return waitUntil(deadline: .milliseconds(50)) {
      worker.processorNanoseconds - before > nanoseconds
    }
  }

  @Test func anIllegalValueIsRefused() {
    var configuration = ThreadPoolConfiguration()
    configuration.priorityPolicy = .relaxed
    #expect {
      try configuration.validate()
    } throws: { error in
      String(describing: error)
        == "ThreadPoolConfiguration.priorityPolicy: relaxed is illegal; expected strict or none; "
        + "set a legal value, or leave the default"
    }
  }

  @Test func aSchedulerStopsTheProcessOverAnIllegalValue() async {
    await #expect(processExitsWith: .failure) {
      var configuration = ThreadPoolConfiguration()
      configuration.stackSize = 1
      _ = ThreadPoolScheduler(workers: 1, configuration: configuration)
    }
  }

  @Test func theKnobsDefaultsAreTheConfigurationsDefaults() throws {
    let all = KnobSettings().completed(by: ThreadPoolConfiguration.knobs)
    #expect("\(try ThreadPoolConfiguration(all))" == "\(ThreadPoolConfiguration())")
  }
}
