// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine

extension CounterCalls {
  /// The variable that says what children of tests count in the place of the processor's events.
  static let variable = "FIXTURE_COUNTERS"

  /// Those that the variable asks for, or those of the system.
  ///
  /// `kernel` has what every kernel counts, nanoseconds of processor time as instructions and page
  /// faults as cycles, and no cache misses. A number refuses every event with that error.
  static var ofFixture: CounterCalls {
    var calls = CounterCalls.system
    guard let choice = EnvironmentVariable.value(of: variable) else { return calls }
    calls.open = { event, thread in
      if let error = Int32(choice) { return -error }
      return switch event {
      case .instructions: open(.taskClock, thread: thread)
      case .cycles: open(.pageFaults, thread: thread)
      case .cacheMisses: -2
      }
    }
    return calls
  }
}
