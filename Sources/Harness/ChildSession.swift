// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// A child between its first line and its last: the contestants that it has made, and what it does
/// with them.
struct ChildSession {
  private let suite: Suite
  private var contestants: [PreparedContestant] = []
  private var current = 0
  private let countsAllocations: Bool
  private var recorder: IterationRecorder

  /// - Parameter countsAllocations: whether iterations count them, which takes a proven counter.
  init(suite: Suite, countsAllocations: Bool) {
    self.suite = suite
    self.countsAllocations = countsAllocations
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
