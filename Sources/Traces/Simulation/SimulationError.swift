// SPDX-License-Identifier: Apache-2.0

/// Why a recording cannot be run again, in virtual time or on a scheduler.
package enum SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Nothing in it has begun and finished.
  case noOperation
  /// It was recorded without dependencies.
  case noDependencies
  /// Events were overwritten; how many, and the ring that would have kept them.
  case droppedEvents(Int, neededRingEvents: Int)
  /// So many operations wait for each other in a cycle.
  case cycle(operations: Int)
  /// Its durations together do not fit.
  case tooLong

  /// What is there.
  package var finding: String {
    switch self {
    case .noOperation: "no operation in it has begun and finished"
    case .noDependencies: "it was recorded in the detail `latency`, without dependencies"
    case .droppedEvents(let count, _): "\(count) of its events were overwritten"
    case .cycle(let operations): "\(operations) operations wait for each other in a cycle"
    case .tooLong: "its durations together are more than a hundred years"
    }
  }

  /// What should be there.
  package var expectation: String {
    switch self {
    case .noOperation: "one at least"
    case .noDependencies: "the detail `full`"
    case .droppedEvents: "a recording of all events"
    case .cycle: "a graph without cycles"
    case .tooLong: "less"
    }
  }

  /// What to do about it.
  package var nextStep: String {
    switch self {
    case .noOperation: "record a run that does something"
    case .noDependencies: "record the run again with `--detail full`"
    case .droppedEvents(_, let needed):
      "record the run again with rings of \(needed) events a thread"
    case .cycle: "record the run again, and report this file as a fault of the recorder"
    case .tooLong: "record the run again: its clock was wrong"
    }
  }

  package var description: String { "\(finding); expected \(expectation); \(nextStep)" }
}
