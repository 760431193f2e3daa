// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Glibc
package import Harness
package import Statistics

/// A child that runs a program by turns without and with a recording.
///
/// Both sides of a pair run in one process, one after the other, in random order, so that what the
/// recording changes is the ratio of a pair and not what lies between two processes.
package struct ProfiledRun: Sendable {
  /// What the child is told to record.
  package struct Recording: Sendable {
    package var detail: RecordOrder.Detail
    package var breakOverNanoseconds: Int64?
    /// Events that a thread keeps; nil for as many as the program's operations need.
    package var ringEvents: Int?
    /// The file for the recording of the last pair.
    package var path: String
    /// Asks Linux what the threads got of the processors.
    package var readsThreadTimes: Bool

    package init(
      detail: RecordOrder.Detail, breakOverNanoseconds: Int64? = nil, ringEvents: Int? = nil,
      path: String, readsThreadTimes: Bool = false
    ) {
      self.readsThreadTimes = readsThreadTimes
      self.detail = detail
      self.breakOverNanoseconds = breakOverNanoseconds
      self.ringEvents = ringEvents
      self.path = path
    }
  }

  /// What the pairs took.
  package struct Outcome: Sendable {
    /// Operations of one run.
    package let operations: Int
    /// Events that a thread kept.
    package let ringEvents: Int
    /// Wall time of each pair, ns.
    package let pairs: [(untraced: UInt64, traced: UInt64)]
    /// How long the run took whose recording there is, ns.
    package let recordedNanoseconds: UInt64
    /// What the threads got of the processors around that run, if that was asked for.
    package let threadTimes: ThreadTimes?

    /// The recorded run over the one in the middle of all recorded ones; nil when a run took no
    /// time.
    package var departure: Double? {
      let traced = pairs.map { Double($0.traced) }
      guard !traced.isEmpty, median(traced) > 0 else { return nil }
      return Double(recordedNanoseconds) / median(traced)
    }

    /// The recorded run stands for the others, as far as anybody can tell.
    package var isTypical: Bool { departure.map(ProfiledRun.isTypical) ?? true }

    /// Traced over untraced time; nil when a run took no time.
    package var perturbation: PairedRatio? {
      guard !pairs.isEmpty, pairs.allSatisfy({ $0.untraced > 0 && $0.traced > 0 }) else {
        return nil
      }
      return .estimate(
        logRatios: pairs.map { ProfiledRun.logRatio($0.traced, over: $0.untraced) })
    }
  }

  /// Pairs that are taken: enough for an interval.
  package static let pairs = 8
  /// Events of one operation with a few dependencies, and as many again for what threads do.
  private static let eventsPerOperation = 16
  /// Events of a recording of few operations: of threads that start, search and sleep.
  private static let leastRingEvents = 1 << 14
  /// The most that are asked for unasked.
  private static let mostRingEvents = 1 << 24
  /// How long a program that is shorter has run before each run of a pair, ns: after a rest Linux
  /// has two workers on one processor for the first milliseconds.
  private static let warmupNanoseconds: UInt64 = 30_000_000
  /// Up to this factor the recorded run stands for the others.
  private static let typical = 1.05
  private static func isTypical(_ departure: Double) -> Bool {
    departure <= typical && departure * typical >= 1
  }
  /// How often a run is recorded anew because the last one was unlike the others.
  private static let mostRepetitions = 8

  private let runner: ChildRunner

  package init(runner: ChildRunner) { self.runner = runner }

  /// Takes the pairs in a child of their own.
  package func run(
    _ assignment: Assignment, _ recording: Recording, deadline: Duration,
    observe: (_ pair: Int) -> Void = { _ in }
  ) throws(MeasurementFailure) -> Outcome {
    let child = try runner.start(
      ChildSetup(allocator: assignment.allocator, cpus: assignment.cpus),
      padding: assignment.environmentPadding, deadline: deadline)
    defer { child.end() }
    try child.awaitReady()
    let operations = try child.prepare(assignment)
    let ring = recording.ringEvents ?? Self.ringEvents(operations: operations)
    var ignored = MeasurementOutcome()
    try child.iterate(Iterations(warmups: 2, least: 0, most: 0), into: &ignored)
    var probe = MeasurementOutcome()
    try child.iterate(Iterations(), into: &probe)
    let warmup = Self.time(probe) < Self.warmupNanoseconds ? Self.warmupNanoseconds : nil
    var generator = SeededGenerator(seed: assignment.seed)
    var pairs: [(untraced: UInt64, traced: UInt64)] = []
    var times: ThreadTimes?
    func record(_ order: RecordOrder) throws(MeasurementFailure) -> UInt64 {
      guard recording.readsThreadTimes, !order.path.isEmpty else {
        return try Self.record(order, child)
      }
      let before = ThreadTimes(ofProcess: child.process)
      let time = try Self.record(order, child)
      times = ThreadTimes(ofProcess: child.process).since(before)
      return time
    }
    for pair in 0..<Self.pairs {
      observe(pair)
      let order = RecordOrder(
        detail: recording.detail, ringEvents: ring,
        breakOverNanoseconds: recording.breakOverNanoseconds,
        path: pair == Self.pairs - 1 ? recording.path : "", warmupNanoseconds: warmup)
      let recordsFirst = generator.next() & 1 == 0
      var traced: UInt64 = 0
      if recordsFirst { traced = try record(order) }
      var untraced = MeasurementOutcome()
      try child.iterate(Iterations(warmupNanoseconds: warmup), into: &untraced)
      if !recordsFirst { traced = try record(order) }
      pairs.append((Self.time(untraced), traced))
    }
    // What is analysed is one run: one like the others, if it can be had.
    let middle = median(pairs.map { Double($0.traced) })
    var recorded = pairs.last?.traced ?? 0
    child.allow(deadline)
    for _ in 0..<Self.mostRepetitions {
      guard recording.breakOverNanoseconds == nil, middle > 0,
        !Self.isTypical(Double(recorded) / middle)
      else { break }
      recorded = try record(
        RecordOrder(
          detail: recording.detail, ringEvents: ring, path: recording.path,
          warmupNanoseconds: warmup))
    }
    _ = try child.stop()
    return Outcome(
      operations: operations, ringEvents: ring, pairs: pairs, recordedNanoseconds: recorded,
      threadTimes: times)
  }

  /// A ring for a run of so many operations.
  package static func ringEvents(operations: Int) -> Int {
    let wanted = operations.multipliedReportingOverflow(by: eventsPerOperation)
    guard !wanted.overflow else { return mostRingEvents }
    return min(max(wanted.partialValue, leastRingEvents), mostRingEvents)
  }

  private static func record(
    _ order: RecordOrder, _ child: MeasuringChild
  ) throws(MeasurementFailure) -> UInt64 {
    var outcome = MeasurementOutcome()
    try child.record(order, into: &outcome)
    return time(outcome)
  }

  private static func time(_ outcome: MeasurementOutcome) -> UInt64 {
    outcome.iterations.reduce(0) { $0 + $1.wallNanoseconds }
  }

  static func logRatio(_ traced: UInt64, over untraced: UInt64) -> Double {
    log(Double(traced)) - log(Double(untraced))
  }
}
