// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation
import Scheduling
import Synchronization
import TestSupport
import Testing

/// How the kit says what it has found.
@Suite(.serialized) struct ReportTests {
  @Test func aSuccessorRunAheadOfUrgentJobsIsExplained() throws {
    let checks = Check.order.filter { $0.statements == [.seam(.exactOrder)] }
    var options = quietOptions
    options.workers = [1]
    let right = SchedulerConformance.run(checks, options) { ConditionPool(workers: $0) }
    #expect(right.isPassing, "\(right)")
    let report = SchedulerConformance.run(checks, options) {
      ConditionPool(workers: $0, successorsInPlace: 256)
    }
    let text = "\(report)"
    #expect(
      text.contains(
        "FAILED seam .exactOrder: one worker starts jobs in exact order (optional: fix it, "
          + "or declare options.exceptions += [.seam(.exactOrder, \"why\")])"), "\(report)")
    #expect(text.contains("the successor ran in place"), "\(report)")
    #expect(text.contains("WorkerContext.runToCompletion(_:bound:publish:) with bound: 0"))
    // What it says is so: `.seam(.exactOrder, …)` leaves nothing to complain about.
    options.exceptions += [.seam(.exactOrder, "why")]
    let excused = SchedulerConformance.run(checks, options) {
      ConditionPool(workers: $0, successorsInPlace: 256)
    }
    #expect(excused.isPassing)
  }

  @Test func countersThatAreNotKeptAreNotAskedFor() {
    let checks = Check.blocking.filter {
      $0.statements == [.seam(.compensation)] || $0.statements == [.seam(.help)]
    }
    #expect(checks.count == 4)
    var options = quietOptions
    options.workers = [1, 2]
    let report = SchedulerConformance.run(checks, options) { Uncounted(workers: $0) }
    #expect(report.isPassing, "\(report)")
  }

  @Test func aSchedulerThatHelpsNobodyIsFoundOut() {
    let checks = Check.blocking.filter { $0.statements == [.seam(.help)] }
    var options = quietOptions
    options.workers = [1]
    let report = SchedulerConformance.run(checks, options) { ConditionPool(workers: $0) }
    #expect(report.findings(.seam(.help))?.count == 1, "\(report)")
  }

  @Test func theSameFindingIsSaidOnceForAllWorkers() {
    let wrong = Check("isWrong", .contract(4)) { trial in
      trial.expect(5, atMost: 1, "jobs to run at a time")
      trial.expect(trial.workers, equals: 2, "workers")
    }
    let report = SchedulerConformance.run([wrong], quietOptions) { ConditionPool(workers: $0) }
    let findings = report.findings(.contract(4)) ?? []
    #expect(findings.count == 2, "\(report)")
    let first = "is wrong, 1, 2, 8 workers: expected at most 1 jobs to run at a time, found 5 ("
    #expect(findings.first?.hasPrefix(first) == true, "\(report)")
    // What differs only in its numbers is said once too.
    #expect(
      findings.last?.hasPrefix("is wrong, 1, 8 workers: expected workers to be 2, found 1 (")
        == true)
    #expect(findings.last?.hasSuffix("), and 1 like it") == true, "\(report)")
    #expect(
      "\(report)".contains(
        "FAILED contract 4: No reader sees executing and finished at once.\n"), "\(report)")
    #expect(findings.first?.contains("(Tests/SchedulerConformanceTests/ReportTests.swift:") == true)
  }

  @Test func theReportCountsWhatHoldsWhatFailedAndWhatWasNotRun() {
    let lost = Check("losesJobs", .seam(.exactlyOnce), isFoundation: true) { trial in
      trial.expect(trial.workers, equals: 0, "the jobs that were lost")
    }
    let fine = Check("isFine", .seam(.wakeUp), isFoundation: true) { _ in }
    let others = (1...96).map { Check("isNotRun\($0)", .contract($0)) { _ in } }
    var options = quietOptions
    options.exceptions = [.contract(3, "why")]
    let report = SchedulerConformance.run([lost, fine] + others, options) {
      ConditionPool(workers: $0)
    }
    let lines = "\(report)".split(separator: "\n")
    #expect(lines.first == "scheduler: of 98 statements 1 hold, 1 failed, 1 skipped, 95 not run")
    #expect(lines.count == 5, "\(report)")
    #expect(lines.last == "not run, 95 statements: it rests on what failed above")
  }

  @Test func oneCauseIsSaidOnce() {
    // An instrument that twelve checks use, each for a statement of its own.
    @Sendable func isKept(_ trial: Trial) {
      trial.expect(trial.workers, equals: 0, "the instrument")
    }
    let checks = (1...12).map { number in
      Check("fails\(number)", .contract(number)) { isKept($0) }
    }
    let both = Check("failsTwice", .contract(12)) { trial in
      isKept(trial)
      trial.expect(trial.workers, equals: 0, "its own")
    }
    let report = SchedulerConformance.run(checks + [both], quietOptions) {
      ConditionPool(workers: $0)
    }
    let lines = "\(report)".split(separator: "\n")
    #expect(lines.count == 1 + 12 + 2, "\(report)")
    #expect(lines.count { $0.contains("expected the instrument to be 0") } == 1)
    #expect(lines.count { $0.hasPrefix("FAILED contract ") && $0.hasSuffix(" As above.") } == 10)
    #expect(lines.dropLast().last?.hasSuffix(" As above, and:") == true, "\(report)")
    #expect(
      lines.last?.hasPrefix("  fails twice, 1, 2, 8 workers: expected its own to be 0, found 1 (")
        == true)
    // Who asks for one statement is told in full.
    #expect(report.findings(.contract(12))?.count == 3)
  }

  @Test func expectationsInWordsReadWell() {
    let wrong = Check("isWrong", .contract(4), on: .usual) { trial in
      let queue = trial.queue()
      queue.isSuspended = true
      queue.addOperation {}
      trial.expectQuiet(queue)
      trial.expect(false, "less than 2 000 ms", found: "15000 ms")
      trial.expect(false, "the dependent to be ready")
      queue.isSuspended = false
    }
    var options = quietOptions
    options.timeLimit = .milliseconds(200)
    let report = SchedulerConformance.run([wrong], options) { ConditionPool(workers: $0) }
    let findings = report.findings(.contract(4)) ?? []
    for text in [
      "expected the queue to become empty, found 1 operations left after 0.1 seconds (",
      "expected less than 2 000 ms, found 15000 ms (",
      "expected the dependent to be ready, found that it is not so (",
    ] {
      #expect(findings.contains { $0.contains(text) }, "\(findings)")
    }
  }

  @Test func theReportKnowsEveryRowOfTheContract() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "../Sources/Operations/Operations.docc/Contract.md"),
      encoding: .utf8)
    let rows = page.split(separator: "\n").compactMap { line -> String? in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count > 1, Int(cells[0]) != nil else { return nil }
      return cells[1]
    }
    #expect(rows == SchedulerConformance.Statement.contractRows)
  }

  @Test func whatTakesLongIsNamedAndWhatFailsIsToldAtOnce() {
    let lines = Locked<[String]>([])
    let isTold = Atomic<Bool>(false)
    let slow = Check("takesLong", .contract(1)) { trial in
      trial.eventually("a line about it") { isTold.load(ordering: .acquiring) }
    }
    let wrong = Check("isWrong", .contract(2)) { trial in trial.expect(false, "true") }
    var options = SchedulerUnderTest.inline.options
    options.writesProgress = true
    options.progressInterval = .milliseconds(20)
    options.takesProgress = { line in
      lines.withLock { $0.append(line) }
      if line.contains("waiting for a line about it") { isTold.store(true, ordering: .releasing) }
    }
    let report = SchedulerConformance.run(
      [slow, wrong], options, makeScheduler: SchedulerUnderTest.inline.factory)
    #expect(report[.contract(1)] == .passed, "\(report)")
    let told = lines.withLock { $0 }
    #expect(
      told.contains {
        $0.hasPrefix("SchedulerConformance: inline: running: takes long, 1 worker")
      }, "\(told)")
    #expect(
      told.contains {
        $0.hasPrefix(
          "SchedulerConformance: inline: FAILED contract 2: is wrong, 1 worker: expected true")
      }, "\(told)")
  }

  private var quietOptions: SchedulerConformance.Options {
    var options = SchedulerConformance.Options()
    options.writesProgress = false
    return options
  }
}

/// A thread pool that keeps no counters.
private final class Uncounted: Scheduler {
  private let inner: any Scheduler

  init(workers: Int) { inner = SchedulerUnderTest.threadPool.factory(workers) }

  var identity: SchedulerIdentity { inner.identity }
  var workerCount: Int { inner.workerCount }
  func submit(_ jobs: consuming JobChain) { inner.submit(jobs) }
  func help() -> Bool { inner.help() }
  func willBlock() { inner.willBlock() }
  func compensatePastLimit() -> Bool { inner.compensatePastLimit() }
  func didUnblock() { inner.didUnblock() }
}
