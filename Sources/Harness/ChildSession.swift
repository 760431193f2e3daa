// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// A child between its first line and its last: the contestants that it has made, and what it does
/// with them.
struct ChildSession {
  private let suite: Suite
  private var contestants: [PreparedContestant] = []
  private var current = 0
  private let countsAllocations: Bool
  private let calls: CounterCalls
  private var recorder: IterationRecorder

  /// - Parameters:
  ///   - countsAllocations: whether iterations count them, which takes a proven counter.
  ///   - calls: behind the processor's counters.
  init(suite: Suite, countsAllocations: Bool, calls: CounterCalls) {
    self.suite = suite
    self.countsAllocations = countsAllocations
    self.calls = calls
    recorder = IterationRecorder(countsAllocations: countsAllocations)
  }

  /// Does what the orchestrator says until it says `stop`; then everything is shut down.
  mutating func obey(_ writer: inout ReportWriter) throws(ChildFailure) {
    var commands = CommandReader()
    while true {
      let command: Command
      do throws(MessageError) { command = try commands.next() } catch {
        throw ChildFailure(.misunderstood, detail: error.description)
      }
      switch command {
      case .prepare(let assignment):
        contestants.append(try PreparedContestant(assignment, suite))
        current = contestants.count - 1
        writer.answer(
          .prepared(
            PreparedReport(
              contestant: current, operations: contestants[current].measured.operations)))
      case .select(let selection):
        guard contestants.indices.contains(selection.contestant) else {
          throw ChildFailure(
            .misunderstood,
            detail: "contestant \(selection.contestant) of \(contestants.count) that are made")
        }
        try ThreadRest.await()
        current = selection.contestant
      case .freeze(let freezing):
        try requireContestant(for: command)
        contestants[current].runs = freezing.runs
      case .iterate(let iterations):
        try requireContestant(for: command)
        try iterate(iterations, &writer)
      case .record(let order):
        try requireContestant(for: command)
        try record(order, &writer)
      case .stop:
        for contestant in contestants { contestant.shutDown() }
        return
      }
      writer.answer(.done(DoneReport(command: command.word)))
    }
  }

  private func requireContestant(for command: Command) throws(ChildFailure) {
    guard contestants.isEmpty else { return }
    throw ChildFailure(
      .misunderstood, detail: "'\(command.word)' without a contestant; expected 'prepare' before")
  }

  /// Warm-ups, then samples until there are enough of them and they have taken long enough.
  private mutating func iterate(
    _ iterations: Iterations, _ writer: inout ReportWriter
  ) throws(ChildFailure) {
    let contestant = contestants[current]
    for _ in 0..<iterations.warmups {
      recorder.reset()
      _ = try run(contestant.warmUp)
    }
    try warmUp(contestant, for: iterations.warmupNanoseconds ?? 0)
    var totals = IterationTotals(counters: contestant.counters)
    let start = MonotonicClock.nanoseconds()
    var count = 0
    while count < iterations.most,
      count < iterations.least
        || MonotonicClock.nanoseconds() - start < iterations.budgetNanoseconds
    {
      recorder.reset()
      var sample = try run(contestant.measured)
      totals.add(recorder, operations: contestant.measured.operations)
      for _ in 1..<contestant.runs {
        sample.add(try run(contestant.measured))
        totals.add(recorder, operations: contestant.measured.operations)
      }
      writer.sample(sample, recorder)
      count += 1
    }
    if countsAllocations { try AllocationCounter.requireMallocAlone() }
    writer.values(totals.figures(counters: contestant.counters))
    guard iterations.countsHardware else { return }
    let timed = MonotonicClock.nanoseconds() - start
    try countHardware(contestant.measured, for: timed / Self.timedPerCounted, &writer)
  }

  /// Runs until they have taken so long; none for 0.
  private mutating func warmUp(
    _ contestant: PreparedContestant, for nanoseconds: UInt64
  ) throws(ChildFailure) {
    let start = MonotonicClock.nanoseconds()
    while MonotonicClock.nanoseconds() - start < nanoseconds {
      recorder.reset()
      _ = try run(contestant.measured)
    }
  }

  /// One run under a recording; its sample is told like any other.
  private mutating func record(
    _ order: RecordOrder, _ writer: inout ReportWriter
  ) throws(ChildFailure) {
    guard let record = suite.record else {
      throw .unavailable("recording", "this suite cannot record runs")
    }
    let contestant = contestants[current]
    try warmUp(contestant, for: order.warmupNanoseconds ?? 0)
    recorder.reset()
    var sample: IterationSample?
    try record(order, contestant.assignment) { () throws(ChildFailure) in
      sample = try run(contestant.measured)
    }
    guard let sample else {
      throw .unavailable("recording", "the recording began and the program was not run")
    }
    writer.sample(sample, recorder)
  }

  /// For how many times as long iterations are timed as others are counted, about.
  private static let timedPerCounted: UInt64 = 20

  /// Iterations that the processor counts, one at least: open counters cost every switch between
  /// threads, so that no time is taken of these.
  private mutating func countHardware(
    _ program: PreparedContestant.Program, for nanoseconds: UInt64, _ writer: inout ReportWriter
  ) throws(ChildFailure) {
    let counters = HardwareCounters(calls)
    defer { counters.close() }
    recorder.hardware = HardwareTotals(counters)
    if counters.canCount {
      counters.setCounting(true)
      let start = MonotonicClock.nanoseconds()
      repeat {
        recorder.reset()
        _ = try run(program)
        recorder.hardware?.add(operations: program.operations)
      } while MonotonicClock.nanoseconds() - start < nanoseconds
      counters.setCounting(false)
    }
    for (event, figure) in recorder.hardware?.figures ?? [] {
      switch figure {
      case .success(let value): writer.values([(event.rawValue, value)])
      case .failure(let refusal):
        writer.missing(MissingReport(metric: event.rawValue, reason: refusal.reason))
      }
    }
    recorder.hardware = nil
  }

  /// One run of a program; what it reports besides its times adds up in the recorder.
  private mutating func run(
    _ program: PreparedContestant.Program
  ) throws(ChildFailure) -> IterationSample {
    recorder.restart()
    do throws(WrongAnswer) {
      try program.iterate(&recorder)
    } catch {
      throw ChildFailure(.wrongAnswer, detail: error.message)
    }
    guard let sample = recorder.sample(operations: program.operations) else {
      throw .unavailable(
        "workload", "the workload did not stamp begin, built, ran, released once each and in order")
    }
    return sample
  }
}
