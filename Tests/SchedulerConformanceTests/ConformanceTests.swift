// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Every check of the kit on every scheduler.
///
/// Serialised: checks wait, and measure what runs at the same time.
@Suite(.serialized) struct ConformanceTests {
  @Test(arguments: CheckCase.all(Check.seam, SchedulerUnderTest.families + [.toy]))
  func theSchedulerKeepsTheProtocol(_ item: CheckCase) { item.expectPass() }

  @Test(.contract(137), arguments: CheckCase.all(Check.operations, SchedulerUnderTest.families))
  func operationsOnItKeepTheContract(_ item: CheckCase) { item.expectPass() }

  @Test(arguments: CheckCase.all(Check.faults, SchedulerUnderTest.families))
  func faultsStopTheProcess(_ item: CheckCase) { item.expectPass() }

  @Test func checksHaveNamesOfTheirOwnAndStatements() {
    #expect(Set(Check.all.map(\.name)).count == Check.all.count)
    #expect(Check.all.allSatisfy { !$0.statements.isEmpty })
  }
}

/// What the kit says about schedulers that are wrong in a known way, and about checks that do not
/// end.
@Suite(.serialized) struct FindingTests {
  @Test func aSchedulerThatLosesWakeUpsIsFoundOut() throws {
    let (code, report, progress) = try runFixture("drowsy")
    #expect(code == 1)
    #expect(report.contains("FAILED seam .wakeUp: a submission to an idle scheduler is noticed"))
    // Which submission is the first to be missed depends on how fast the thread is.
    #expect(report.contains("jobs to run, submitted one or two at a time, found only"))
    #expect(report.contains("(Sources/SchedulerConformance/Seam/Check+Delivery.swift:"))
    #expect(progress.contains("SchedulerConformance: drowsy: FAILED seam .wakeUp: "))
    #expect(report.contains("not run"))
  }

  @Test(arguments: [2, 8])
  func aSchedulerThatWakesOneWorkerPerChainIsFoundOut(_ workers: Int) throws {
    let checks = Check.delivery.filter { $0.statements.contains(.seam(.wakeUp)) }
    #expect(checks.count == 2)
    var options = SchedulerConformance.Options()
    options.workers = [workers]
    options.writesProgress = false
    // Its other mistakes would be this test's: the same scheduler that wakes all of them passes.
    let right = SchedulerConformance.run(checks, options) { ConditionPool(workers: $0) }
    #expect(right.isPassing, "\(right)")
    options.timeLimit = .seconds(10)
    let report = SchedulerConformance.run(checks, options) {
      ConditionPool(workers: $0, wakesOneWorkerPerChain: true)
    }
    let findings = try #require(report.findings(.seam(.wakeUp)))
    #expect(findings.count == 1, "\(report)")
    #expect(findings.first?.contains("a chain wakes a worker for each of its jobs") == true)
    // Threads that have only just begun look once by themselves: which chain is stuck, and with how
    // many, depends.
    #expect(findings.first?.contains("to be \(workers), found") == true, "\(report)")
  }

  @Test func theExampleOfTheGuideKeepsAllButTheNamedPromises() throws {
    let (code, report, _) = try runFixture("mine")
    #expect(code == 0, "\(report)")
    // It makes no more exceptions than the text says.
    let lines = report.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("skipped ") } == 2, "\(report)")
    #expect(report.contains("skipped seam .compensation ("))
    #expect(report.contains("skipped seam .help ("))
  }

  /// The guides for authors of schedulers show what the fixture runs, word for word.
  @Test(arguments: [
    (
      "Scheduling/Scheduling.docc/Adding.md", "MyScheduler",
      "```swift\nimport BenchmarkKit", "\n@main struct Mine {"
    ),
    (
      "SchedulerConformance/SchedulerConformance.docc/Checking.md", "DrowsyScheduler",
      "```swift", "```"
    ),
  ])
  func theGuidesShowTheseSchedulers(page: String, name: String, start: String, end: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "../Sources/\(page)"), encoding: .utf8)
    let source = try String(
      contentsOf: root.appending(path: "ConformanceFixture/\(name).swift"), encoding: .utf8)
    let code = source.split(separator: "\n", maxSplits: 1).last.map(String.init) ?? ""
    #expect(text.contains(start + code + end), "\(name)")
  }

  @Test func aSchedulerThatRunsAJobTwiceIsFoundOut() throws {
    let (code, report, _) = try runFixture("repeating")
    #expect(code == 1)
    #expect(report.contains("FAILED seam .exactlyOnce: every submitted job runs exactly once"))
    #expect(report.contains("the numbers of the jobs that ran more than once to be []"))
    #expect(report.contains("not run"))
  }

  @Test(arguments: CarelessScheduler.Mistake.allCases)
  func aSchedulerThatIsCarelessWithOwnJobsIsFoundOut(_ mistake: CarelessScheduler.Mistake) {
    var options = SchedulerConformance.Options()
    options.workers = [1]
    options.timeLimit = .seconds(4)
    options.writesProgress = false
    let report = SchedulerConformance.run(Check.offering, options) { _ in
      CarelessScheduler(mistake)
    }
    let statement: SchedulerConformance.Statement =
      mistake == .runsWhatIsNotAccepted ? .seam(.awaiting) : .seam(.offering)
    guard case .failed? = report[statement] else {
      Issue.record("\(report)")
      return
    }
  }

  @Test func aHungCheckIsReportedAndTheRunGoesOn() {
    let gate = Turnstile()
    var stuck = Check("neverEnds", .contract(1)) { trial in
      _ = trial.eventually("nothing") { false }
      gate.wait()
    }
    // For that one only: on a busy machine the others need more.
    stuck.timeLimit = .milliseconds(50)
    let fine = Check("ends", .contract(2)) { trial in trial.expect(true, "true") }
    let wrong = Check("isWrong", .contract(3)) { trial in trial.expect(1, equals: 2, "one") }
    let excepted = Check("isExcepted", .contract(4)) { trial in trial.expect(false, "false") }
    var options = SchedulerUnderTest.inline.options
    options.exceptions = [.contract(4, "never kept")]
    let report = SchedulerConformance.run(
      [stuck, fine, wrong, excepted], options, makeScheduler: SchedulerUnderTest.inline.factory)
    gate.signal()
    #expect(!report.isPassing)
    let stuckFindings = report.findings(.contract(1)) ?? []
    #expect(stuckFindings.contains { $0.contains("never ends, 1 worker: hung") }, "\(report)")
    #expect(report[.contract(2)] == .passed, "\(report)")
    let wrongFindings = report.findings(.contract(3)) ?? []
    #expect(wrongFindings.contains { $0.contains("expected one to be 2, found 1") }, "\(report)")
    #expect(report[.contract(4)] == .skipped("never kept"))
  }

  @Test func aFaultThatDoesNotComeIsAFinding() throws {
    // The fixture does not know this check, so nothing stops it.
    let unknown = Check("isNoFault", .contract(1), says: ["anything"]) { _ in }
    var options = SchedulerUnderTest.inline.options
    options.faultProgram = .init(path: "/bin/true", arguments: [])
    let report = SchedulerConformance.run(
      [unknown], options, makeScheduler: SchedulerUnderTest.inline.factory)
    guard case .failed(let findings)? = report[.contract(1)] else {
      Issue.record("\(report)")
      return
    }
    #expect(
      findings.first?.contains("expected the fault to stop the process, found exit code 0") == true)
  }

  private func runFixture(
    _ scheduler: String
  ) throws -> (code: Int32, report: String, progress: String) {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: SchedulerUnderTest.fixture)
    process.arguments = [scheduler]
    // What is wrong with it is known: ThreadSanitizer does not see a Mutex, and lost jobs are
    // leaks.
    process.environment = ProcessInfo.processInfo.environment.merging([
      "TSAN_OPTIONS": "report_bugs=0", "ASAN_OPTIONS": "detect_leaks=0",
    ]) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let written = try output.fileHandleForReading.readToEnd() ?? Data()
    // A few lines: they fit into the pipe.
    let told = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: written, as: UTF8.self),
      String(decoding: told, as: UTF8.self)
    )
  }
}

extension SchedulerConformance.Report {
  /// What the checks of a statement found; nil when they found nothing.
  func findings(_ statement: SchedulerConformance.Statement) -> [String]? {
    guard case .failed(let findings)? = self[statement] else { return nil }
    return findings
  }
}
