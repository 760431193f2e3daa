// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Machine
package import Measurement

/// What a self-test measures with; tests put in others.
package struct SelfTestInstruments {
  /// What the primitives cost.
  package var figures: () -> MachineFigures
  /// The clock of every figure, in nanoseconds.
  package var clock: () -> UInt64
  /// How many allocations a child counts when it asks for that many.
  package var countAllocations: (Int) throws(MeasurementFailure) -> Int
  /// The shortest iteration of an assignment.
  package var time: (Assignment) throws(MeasurementFailure) -> WorkGrowth.Size
  /// Takes the pairs of a plan, and tells about every step.
  package var pairs:
    (ComparisonPlan, @escaping (ComparisonDriver.Event) -> Void)
      -> ComparisonRecord

  package init(
    figures: @escaping () -> MachineFigures, clock: @escaping () -> UInt64,
    countAllocations: @escaping (Int) throws(MeasurementFailure) -> Int,
    time: @escaping (Assignment) throws(MeasurementFailure) -> WorkGrowth.Size,
    pairs:
      @escaping (ComparisonPlan, @escaping (ComparisonDriver.Event) -> Void)
      -> ComparisonRecord
  ) {
    self.figures = figures
    self.clock = clock
    self.countAllocations = countAllocations
    self.time = time
    self.pairs = pairs
  }

  /// This machine, and children of a runner.
  ///
  /// - Parameters:
  ///   - runner: starts the children of the probes.
  ///   - interrupt: ends the pairs, and a child of them at once.
  package init(_ runner: ChildRunner, interrupt: InterruptFlag?) {
    self.init(
      figures: { .measure() }, clock: { MonotonicClock.nanoseconds() },
      countAllocations: { wanted throws(MeasurementFailure) in
        let child = try runner.start(
          ChildSetup(allocator: .jemalloc, provenAllocations: wanted), deadline: Self.deadline)
        defer { child.end() }
        try child.awaitReady()
        _ = try child.stop()
        return child.countedAllocations ?? 0
      },
      time: { assignment throws(MeasurementFailure) in
        let outcome = runner.run(
          assignment, deadline: Self.deadline, allocator: assignment.allocator)
        if let failure = outcome.failure { throw failure }
        let operations = outcome.iterations.first?.operations ?? 0
        let shortest = outcome.iterations.map(\.wallNanoseconds).min() ?? 0
        return WorkGrowth.Size(operations: operations, nanoseconds: Double(shortest))
      },
      pairs: { plan, observe in
        ComparisonDriver(
          plan: plan, taker: { LivePairs(plan: plan, group: $0, interrupt: interrupt) },
          isInterrupted: { interrupt?.isRaised ?? false }, observe: observe
        ).run()
      })
  }

  private static let deadline = Duration.seconds(60)
}
