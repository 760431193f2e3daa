// SPDX-License-Identifier: Apache-2.0

import Harness
import Measurement
import Results
import Testing

/// Wake-ups of workers as schedulers count them, of a script that is the same in every run.
@Suite("One more wake-up") struct WakeUpTests {
  /// What a child of its own says of 300 operations, each added while the worker sleeps.
  private func outcome(_ scheduler: String, wakeUps: Int) throws
    -> MeasurementOutcome
  {
    let assignment = Assignment(
      subject: .workload("sleepers"), system: .scheduler(scheduler), workers: 1,
      parameters: Parameters(["n": 100, "wake-ups": .number(wakeUps)]), warmups: 1,
      minimumIterations: 3,
      maximumIterations: 3, seed: 1, allocator: .system)
    let outcome = ChildRunner(executable: countingFixture)
      .measure(assignment, deadline: .seconds(60))
    try #require(outcome.isComplete, "\(outcome)")
    return outcome
  }

  @Test(arguments: ["thread-pool", "work-stealing"])
  func isFoundInEveryRunOfOneWorkerAndNeverByChance(scheduler: String) throws {
    for _ in 0..<10 {
      #expect(try outcome(scheduler, wakeUps: 0).metrics[.wakeUps] == [1])
      #expect(try outcome(scheduler, wakeUps: 1).metrics[.wakeUps] == [2])
    }
  }
}
