// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import Scheduling
import TestSupport
import Testing
import ThreadPoolBackend
import WorkStealingBackend

extension SchedulerSeam {
  /// What schedulers say of themselves, and what the kit makes of it.
  @Suite struct SchedulerFactsTests {
    @Test(arguments: SchedulerUnderTest.families)
    func builtInSchedulersSayWhatTheyCan(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let canAwait = kind.name != "onetbb"
      #expect((scheduler.awaiting != nil) == canAwait)
      #expect((scheduler.forkJoin != nil) == (kind.name == "work-stealing"))
      // Itself, and not another one.
      #expect(scheduler.awaiting.map { $0 === scheduler } ?? true)
      #expect(scheduler.forkJoin.map { $0 === scheduler } ?? true)
      #expect(scheduler.priorityPolicy == .strict)
      scheduler.shutDown()
    }

    @Test func aSchedulerThatSaysNothingIsAskedForBandsAndCountsNothing() {
      let scheduler = ConditionPool(workers: 1)
      #expect(scheduler.priorityPolicy == .relaxed)
      #expect(scheduler.awaiting == nil && scheduler.forkJoin == nil)
      let counters = scheduler.counters
      #expect(counters.parks == nil && counters.wakeUps == nil && counters.steals == nil)
      #expect(counters.failedSteals == nil && counters.helped == nil)
      #expect(counters.compensations == nil)
    }

    @Test func settingsSayHowMuchBandsCount() {
      for policy in PriorityPolicy.allCases {
        var stealing = WorkStealingConfiguration()
        stealing.priorityPolicy = policy
        #expect(
          WorkStealingScheduler(workers: 1, configuration: stealing).priorityPolicy == policy)
      }
      var pool = ThreadPoolConfiguration()
      pool.priorityPolicy = .none
      #expect(ThreadPoolScheduler(workers: 1, configuration: pool).priorityPolicy == .none)
    }

    /// Zero where it cannot happen, nil where only a library knows.
    @Test func whatOnlyALibraryKnowsIsUnavailable() {
      let dispatch = DispatchScheduler(workers: 1).counters
      #expect(dispatch.parks == nil && dispatch.wakeUps == 0 && dispatch.steals == 0)
      let pool = ThreadPoolScheduler(workers: 1).counters
      #expect(pool.steals == 0 && pool.failedSteals == 0 && pool.compensations == 0)
      #expect(pool.parks != nil)
      let inline = InlineScheduler().counters
      #expect(inline.parks == 0 && inline.wakeUps == 0 && inline.helped == 0)
    }

    /// The same pool, which prefers nothing, is excused if it says so and fails if it does not.
    @Test(arguments: [PriorityPolicy.none, .relaxed])
    func aSchedulerWithoutBandsIsTakenAtItsWord(_ policy: PriorityPolicy) {
      let checks = Check.order.filter {
        !$0.statements.allSatisfy { ![.seam(.bands), .seam(.exactOrder)].contains($0) }
      }
      #expect(checks.count >= 2)
      var options = SchedulerConformance.Options()
      options.workers = [1]
      options.writesProgress = false
      let report = SchedulerConformance.run(checks, options) { _ in Unordered(saying: policy) }
      #expect(report.isPassing == (policy == .none), "\(report)")
      let said = "it says so itself: its priorityPolicy is none"
      #expect((report[.seam(.bands)] == .skipped(said)) == (policy == .none), "\(report)")
      #expect((report[.seam(.exactOrder)] == .skipped(said)) == (policy == .none), "\(report)")
    }

    /// A count of zero is a finding where one must have grown; who does not count says nil.
    @Test(arguments: [0, nil])
    func aCountThatIsKeptWrongIsFoundOut(_ count: Int?) {
      let checks = Check.blocking.filter { $0.statements == [.seam(.help)] }
      var options = SchedulerConformance.Options()
      options.workers = [1]
      options.writesProgress = false
      let report = SchedulerConformance.run(checks, options) { _ in Miscounting(helped: count) }
      #expect(report.isPassing == (count == nil), "\(report)")
      let findings = report.findings(.seam(.help)) ?? []
      #expect(
        findings.contains { $0.contains("scheduler.counters.helped to have grown") } == (count == 0)
      )
    }
  }
}

/// First in, first out, without bands.
private final class Unordered: Scheduler {
  let priorityPolicy: PriorityPolicy
  private let inner: ThreadPoolScheduler

  init(saying policy: PriorityPolicy) {
    priorityPolicy = policy
    var configuration = ThreadPoolConfiguration()
    configuration.priorityPolicy = .none
    inner = ThreadPoolScheduler(workers: 1, configuration: configuration)
  }

  var identity: SchedulerIdentity { inner.identity }
  var workerCount: Int { inner.workerCount }
  func submit(_ jobs: consuming JobChain) { inner.submit(jobs) }
}

/// Helps, and says that it has helped that often.
private final class Miscounting: Scheduler {
  private let helped: Int?
  private let inner = ThreadPoolScheduler(workers: 1)

  init(helped: Int?) { self.helped = helped }

  var identity: SchedulerIdentity { inner.identity }
  var workerCount: Int { inner.workerCount }
  func submit(_ jobs: consuming JobChain) { inner.submit(jobs) }
  func help() -> Bool { inner.help() }
  var counters: SchedulerCounters {
    var counters = SchedulerCounters()
    counters.helped = helped
    return counters
  }
}
