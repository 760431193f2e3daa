// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
package import Operations
package import Scheduling

/// One run of one check on one scheduler: makes schedulers and queues, and takes down what was not
/// as expected.
///
/// Any thread: expectations are also met or missed inside operations.
package final class Trial: Sendable {
  /// As many failures are kept; a check that loops would repeat one.
  private static let failureLimit = 8

  /// The scheduler's worker count.
  package let workers: Int
  /// How long anything may take that ought to happen at once: half of the check's time, so that it
  /// can still say what.
  package let patience: Duration
  private let factory: @Sendable () -> any Scheduler
  private let notes = Locked(Notes())

  private struct Notes: Sendable {
    var failures: [SchedulerConformance.Failure] = []
    var waitingFor: [String] = []
  }

  init(workers: Int, timeLimit: Duration, factory: @escaping @Sendable () -> any Scheduler) {
    self.workers = workers
    self.factory = factory
    patience = timeLimit / 2
  }

  /// How many times fewer rounds a slow build makes.
  package static var slowness: Int {
    if Sanitizer.active == .thread { return 20 }
    #if DEBUG
      return 10
    #else
      return 1
    #endif
  }

  /// A fresh scheduler with the number of workers under test.
  package func makeScheduler() -> any Scheduler { factory() }

  /// A queue on a fresh scheduler.
  package func queue() -> OperationQueue { OperationQueue(scheduler: factory()) }

  /// What was not as expected so far.
  var failures: [SchedulerConformance.Failure] { notes.withLock { $0.failures } }

  /// True while everything was as expected.
  package var isBlameless: Bool { failures.isEmpty }

  /// What the check waits for now, outermost first.
  var activity: [String] { notes.withLock { $0.waitingFor } }

  // MARK: Expectations

  /// Takes down a failure unless the condition holds.
  package func expect(
    _ condition: Bool, _ claim: @autoclosure () -> String,
    found: @autoclosure () -> String = "that it is not so", file: StaticString = #filePath,
    line: UInt = #line
  ) {
    if !condition { note(expected: claim(), found: found(), file, line) }
  }

  /// Takes down a failure when more were found than may be.
  package func expect(
    _ found: Int, atMost limit: Int, _ what: @autoclosure () -> String,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    guard found > limit else { return }
    note(expected: "at most \(limit) \(what())", found: "\(found)", file, line)
  }

  /// Takes down a failure unless both are equal.
  package func expect<Value: Equatable>(
    _ found: Value, equals expected: Value, _ what: @autoclosure () -> String,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    guard found != expected else { return }
    note(expected: "\(what()) to be \(brief(expected))", found: brief(found), file, line)
  }

  /// Takes down a failure.
  package func fail(
    _ expected: String, found: String, file: StaticString = #filePath, line: UInt = #line
  ) {
    note(expected: expected, found: found, file, line)
  }

  /// Waits for the condition; takes down a failure when it does not come true in time.
  @discardableResult package func eventually(
    _ claim: @autoclosure () -> String, file: StaticString = #filePath, line: UInt = #line,
    _ condition: () -> Bool
  ) -> Bool {
    let isTrue = waiting(for: claim()) { waitUntil(condition) }
    if !isTrue {
      note(expected: claim(), found: "that it is not so after \(patience)", file, line)
    }
    return isTrue
  }

  /// Waits until the value is reached; takes down a failure with the value of that moment when it
  /// is not in time.
  @discardableResult package func eventually<Value: Equatable>(
    equals expected: Value, _ what: @autoclosure () -> String, file: StaticString = #filePath,
    line: UInt = #line, _ value: () -> Value
  ) -> Bool {
    let claim = "\(what()) to be \(brief(expected))"
    let isTrue = waiting(for: claim) { waitUntil { value() == expected } }
    if !isTrue {
      note(expected: claim, found: "\(brief(value())) after \(patience)", file, line)
    }
    return isTrue
  }

  /// Waits until the queue is empty; takes down a failure when it does not get there.
  package func expectQuiet(
    _ queue: OperationQueue, _ note: String = "", file: StaticString = #filePath, line: UInt = #line
  ) {
    let isQuiet = waiting(for: "a queue to become empty") { queue.wait(timeout: patience) }
    guard !isQuiet else { return }
    self.note(
      expected: "the queue to become empty\(note.isEmpty ? "" : " \(note)")",
      found: "\(queue.operationCount) operations left after \(patience)", file, line)
  }

  /// Looks at the condition until it is true or patience ends; returns whether it became true.
  package func waitUntil(_ condition: () -> Bool) -> Bool {
    SchedulerConformance.poll(for: patience, condition)
  }

  private func waiting<Value>(for what: String, _ body: () -> Value) -> Value {
    notes.withLock { $0.waitingFor.append(what) }
    defer {
      notes.withLock { notes in
        if let index = notes.waitingFor.lastIndex(of: what) { notes.waitingFor.remove(at: index) }
      }
    }
    return body()
  }

  private func note(expected: String, found: String, _ file: StaticString, _ line: UInt) {
    let failure = SchedulerConformance.Failure(
      expected: expected, found: found, file: file, line: line)
    notes.withLock { if $0.failures.count < Self.failureLimit { $0.failures.append(failure) } }
  }

  private func brief<Value>(_ value: Value) -> String {
    let text = "\(value)"
    return text.count > 60 ? "\(text.prefix(60))…" : text
  }
}
