// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation
import TestSupport
import Testing

/// A small program of jobs on every scheduler, while one call of the system after the other fails.
///
/// What became of each point is printed. A program ends or is stopped with a message; none hangs or
/// loses a job.
@Suite(.serialized, .enabled(if: Sanitizer.active == nil)) struct InjectedFaultTests {
  /// What is tried: a kind of call, an error and for how long.
  struct Fault: Sendable, CustomTestStringConvertible {
    let kind: String
    let error: Int32
    var duration = "once"
    /// Whether the process may be stopped.
    let mayStop: Bool
    var testDescription: String { "\(kind), error \(error), \(duration)" }

    static let all = [
      Fault(kind: "thread", error: EAGAIN, mayStop: true),
      Fault(kind: "thread", error: EAGAIN, duration: "forever", mayStop: true),
      Fault(kind: "memory", error: ENOMEM, mayStop: true),
      Fault(kind: "futex", error: EINTR, mayStop: false),
      Fault(kind: "futex", error: EAGAIN, mayStop: false),
      Fault(kind: "futex", error: 0, mayStop: false),
      Fault(kind: "barrier", error: EPERM, duration: "forever", mayStop: true),
    ]
  }

  enum Outcome: Hashable {
    case completed
    case stopped(String)
    case wrong(String)
  }

  /// Libraries whose own threads stop the process when the system refuses one.
  private static let peers = SchedulerUnderTest.families.map(\.name).filter { $0 == "onetbb" }

  /// The call that fails: each of the first forty, then one of sixteen, for later sleeps are alike.
  private static let numbers = Array(1...40) + stride(from: 56, through: 200, by: 16)

  @Test(arguments: ["work-stealing", "thread-pool", "dispatch", "inline"], Fault.all)
  func theProgramEndsWhateverFails(_ scheduler: String, _ fault: Fault) async throws {
    // libdispatch asks for a refused thread once a second for as long as it takes.
    if scheduler == "dispatch", fault.kind == "thread", fault.duration == "forever" { return }
    try await atTheSameTime(scheduler == "inline" ? [1] : [1, 2]) { workers in
      var outcomes: [(first: Int, last: Int, outcome: Outcome)] = []
      for number in Self.numbers {
        let (outcome, calls) = try run(scheduler, workers, fault, number)
        if outcomes.last?.outcome == outcome {
          outcomes[outcomes.count - 1].last = number
        } else {
          outcomes.append((number, number, outcome))
        }
        switch outcome {
        case .wrong(let what):
          Issue.record(
            "\(scheduler), \(workers) workers, \(fault.testDescription), call \(number): \(what)")
          return
        case .stopped(let message):
          #expect(fault.mayStop && message.contains("expected"), "\(message)")
        case .completed: break
        }
        if let calls, calls < number { break }
      }
      let text = outcomes.map { "\($0.first)–\($0.last) \($0.outcome.text)" }
      print(
        "\(scheduler), \(workers) workers, \(fault.testDescription): \(text.joined(separator: "; "))"
      )
    }
  }

  /// Jobs that block deep, on schedulers that have few threads of their own left for it: none is
  /// stranded where one thread, or every third, is refused for a moment.
  @Test(arguments: ["work-stealing", "thread-pool", "dispatch"], ["once", "third"])
  func deepBlocksEndThoughThreadsAreRefused(_ scheduler: String, _ duration: String) {
    let fault = Fault(kind: "thread", error: EAGAIN, duration: duration, mayStop: false)
    // libdispatch, whose threads are the first, asks for a refused one once a second.
    let numbers = scheduler == "dispatch" ? [200, 230, 260, 290] : [10, 50, 160, 200, 290]
    let runs = [1, 2].flatMap { workers in numbers.map { (workers: workers, number: $0) } }
    let outcomes = Locked<[Outcome?]>(Array(repeating: nil, count: runs.count))
    // Most of the time they sleep.
    onThreads(runs.count) { index in
      let (workers, number) = runs[index]
      let outcome = try? run(scheduler, workers, fault, number, program: "deep").0
      outcomes.withLock { $0[index] = outcome }
    }
    for (run, outcome) in zip(runs, outcomes.withLock { $0 }) {
      #expect(outcome == .completed, "\(run.workers) workers, call \(run.number)")
    }
  }

  /// A job that blocks while no other waits needs no thread, but whoever submits the job that it
  /// waits for does.
  @Test(arguments: ["work-stealing", "thread-pool"])
  func aThreadIsMissedOnlyWhereAJobWaits(_ scheduler: String) throws {
    for workers in [1, 2] {
      // One worker blocks; the others are there.
      for (program, duration) in [("lonely", "forever"), ("late", "once"), ("late", "forever")] {
        let fault = Fault(kind: "thread", error: EAGAIN, duration: duration, mayStop: true)
        let (outcome, _) = try run(scheduler, workers, fault, workers + 1, program: program)
        if case .stopped(let message) = outcome {
          #expect(program == "late" && duration == "forever" && workers == 1, "\(message)")
          #expect(message.contains("jobs wait, no thread can run them"), "\(message)")
        } else {
          #expect(outcome == .completed, "\(program), \(workers) workers, \(duration)")
          #expect(program != "late" || duration != "forever" || workers > 1)
        }
      }
    }
  }

  /// Past the limit whoever waits asks, and the scheduler does not stop the process by itself.
  @Test(arguments: ["work-stealing", "thread-pool", "dispatch"] + peers)
  func aThreadPastTheLimitMayBeMissing(_ scheduler: String) async throws {
    // The program says from where on.
    let fault = Fault(kind: "thread", error: EAGAIN, duration: "forever", mayStop: false)
    try await atTheSameTime([1, 2]) { workers in
      let (outcome, _) = try run(scheduler, workers, fault, .max, program: "past")
      #expect(outcome == .completed, "\(workers) workers")
    }
  }

  /// The last thread of a scheduler runs the parts of what it waits for itself, wherever they are;
  /// libdispatch asks for the thread of one that comes later as long as it takes.
  @Test(arguments: ["work-stealing", "thread-pool"], ["outside", "stranded"])
  func aWaitWithoutThreadsFindsTheParts(_ scheduler: String, _ program: String) throws {
    // The program says from where on.
    let fault = Fault(kind: "thread", error: EAGAIN, duration: "forever", mayStop: false)
    for workers in [1, 2] {
      let (outcome, _) = try run(scheduler, workers, fault, .max, program: program)
      #expect(outcome == .completed, "\(workers) workers")
    }
  }

  /// Runs programs of so many workers beside each other: most of the time they sleep.
  private func atTheSameTime(
    _ workers: [Int], _ body: @escaping @Sendable (Int) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      for workers in workers { group.addTask { try body(workers) } }
      try await group.waitForAll()
    }
  }

  /// Runs the fixture; the number of calls is unknown where it was stopped.
  private func run(
    _ scheduler: String, _ workers: Int, _ fault: Fault, _ number: Int, program: String = "usual"
  ) throws -> (Outcome, calls: Int?) {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: SchedulerUnderTest.fixture)
      .deletingLastPathComponent().appendingPathComponent("InjectedFaultsFixture")
    process.arguments = [
      scheduler, "\(workers)", fault.kind, "\(fault.error)", "\(number)", fault.duration, program,
    ]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "SWIFT_BACKTRACE": "enable=no"
    ]) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let hasEnded = waitUntil(deadline: .seconds(60)) { !process.isRunning }
    if !hasEnded { process.terminate() }
    process.waitUntilExit()
    let told = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let said = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let calls = said.split(separator: "\n").first { $0.hasPrefix("calls ") }
      .flatMap { Int($0.dropFirst(6)) }
    guard hasEnded else { return (.wrong("hung for 60 s"), nil) }
    if process.terminationReason == .exit, process.terminationStatus == 0 {
      return (.completed, calls)
    }
    if process.terminationReason == .uncaughtSignal,
      let line = told.split(separator: "\n").last(where: { $0.contains("Fatal error: ") })
    {
      return (.stopped(String(line)), nil)
    }
    return (.wrong("status \(process.terminationStatus), \(said) \(told)"), calls)
  }
}

extension InjectedFaultTests.Outcome {
  /// For the list.
  var text: String {
    switch self {
    case .completed: "completed"
    case .stopped(let message): "stopped: " + (message.split(separator: "error: ").last ?? "")
    case .wrong(let what): what
    }
  }
}
