// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import Foundation
import Scheduling
import TestSupport
import Testing
import ThreadPoolBackend
import WorkStealingBackend

#if OneTBB
  import OneTBBBackend
#endif

/// What single schedulers do beyond what the kit asks of every one.
///
/// Serialised: the bodies of tests wait, on threads that libdispatch counts, and its items would
/// wait behind them.
@Suite(.serialized) enum SchedulerSeam {}

/// One scheduler of the suite, with the statements that it does not keep.
///
/// A new back end is added to `families` and gets every check.
struct SchedulerUnderTest: Sendable, CustomTestStringConvertible {
  let name: String
  /// Number of workers given to `make`.
  var workers = 2
  var exceptions: [SchedulerConformance.Exception] = []
  let factory: @Sendable (Int) -> any Scheduler

  var testDescription: String { "\(name), \(workers) workers" }

  func make() -> any Scheduler { factory(workers) }

  /// The same scheduler with another number of workers.
  func with(workers: Int) -> SchedulerUnderTest {
    var changed = self
    changed.workers = workers
    return changed
  }

  static let inline = SchedulerUnderTest(
    name: "inline", workers: 1,
    exceptions: [
      .seam(.ownThreads, "the thread that makes a job startable runs it"),
      .seam(.compensation, "a blocked job blocks its thread"),
      .contract(48, "the thread that cancels flushes, after its call has done its work"),
      .contract(64, "the thread that makes it startable starts it"),
      .contract(75, "there is no second worker"),
      .contract(76, "there is no second worker"),
      .contract(114, "one operation at a time per thread"),
      .contract(138, "the blocked thread is the caller's"),
    ]
  ) { _ in InlineScheduler() }
  static let threadPool = SchedulerUnderTest(name: "thread-pool") {
    ThreadPoolScheduler(workers: $0)
  }
  static let dispatch = SchedulerUnderTest(name: "dispatch") { DispatchScheduler(workers: $0) }
  static let workStealing = SchedulerUnderTest(
    name: "work-stealing",
    exceptions: [
      .seam(.exactOrder, "each worker starts the highest level that it holds, newest first")
    ]
  ) { WorkStealingScheduler(workers: $0) }
  static let toy = SchedulerUnderTest(
    name: "toy", workers: 1,
    exceptions: [
      .seam(.compensation, "one thread"),
      .seam(.help, "never helps"),
    ]
  ) { _ in ToyScheduler() }

  #if OneTBB
    static let oneTBB = SchedulerUnderTest(name: "onetbb") { OneTBBScheduler(workers: $0) }
  #endif

  /// The schedulers that operations run on.
  static let families: [SchedulerUnderTest] = {
    var families = [dispatch, threadPool, workStealing, inline]
    #if OneTBB
      families.append(oneTBB)
    #endif
    return families
  }()
  /// Back ends whose shutdown from a job is a fault.
  static let pools = [threadPool, dispatch]

  var options: SchedulerConformance.Options {
    var options = SchedulerConformance.Options()
    options.name = name
    options.exceptions = exceptions
    options.writesProgress = false
    // Sanitized builds are slow, and other tests of the machine may run beside.
    options.timeLimit = .seconds(120)
    options.faultProgram = .init(path: Self.fixture, arguments: [name])
    return options
  }

  /// The program that is started to be stopped by a fault; built beside the tests.
  static let fixture: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    // Some test runners load the tests into a program of their own and name the bundle in an
    // argument.
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
    let paths = ([own] + bundles).map {
      URL(fileURLWithPath: $0).deletingLastPathComponent()
        .appendingPathComponent("ConformanceFixture").path
    }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? paths[0]
  }()
}

/// One check on one scheduler with one number of workers.
struct CheckCase: Sendable, CustomTestStringConvertible {
  let kind: SchedulerUnderTest
  let check: Check

  var testDescription: String { "\(kind.testDescription): \(check.name)" }

  /// These checks on these schedulers, with 1, 2 and 8 workers, so that some are oversubscribed.
  static func all(_ checks: [Check], _ kinds: [SchedulerUnderTest]) -> [CheckCase] {
    kinds.flatMap { kind in
      SchedulerConformance.plan(checks, kind.options, makeScheduler: kind.factory).map {
        CheckCase(kind: kind.with(workers: $0.workers), check: $0.check)
      }
    }
  }

  /// Runs it and records what it found.
  func expectPass() {
    var options = kind.options
    options.workers = [kind.workers]
    let report = SchedulerConformance.run([check], options, makeScheduler: kind.factory)
    #expect(report.isPassing, "\(report)")
  }
}
