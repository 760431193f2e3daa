// SPDX-License-Identifier: Apache-2.0

/// Whether the times of a recording are in an order that a run can have.
///
/// Clocks of two threads may be apart by the skew that the recording states, so that a small step
/// back is no fault. A larger one says that the recording, and what is read from it, is not to be
/// trusted.
package struct OrderCheck: Sendable, Equatable {
  /// Two times of which the first is never later in a run.
  package enum Step: Int, Sendable, Equatable, CaseIterable {
    case createdEnqueued
    case enqueuedReady
    case readyAdmitted
    case readyStarted
    case startedReturned
    case startedFinished
    case returnedFinished
    /// A predecessor finished, its successor started. A cancelled operation is skipped without
    /// waiting for its predecessors.
    case predecessorFinishedStarted
  }

  /// How often one step went back.
  package struct Row: Sendable, Equatable {
    package let step: Step
    /// How often it went back at all.
    package fileprivate(set) var negative = 0
    /// How often by more than the skew.
    package fileprivate(set) var beyondSkew = 0
    /// The largest step back, ns.
    package fileprivate(set) var largest: Int64 = 0
  }

  /// One row per step, in the order of `Step`.
  package let rows: [Row]
  /// Events of a thread that lie before the one that was recorded before them.
  package let disorderedEvents: Int
  /// Edges that lead from an operation to itself or name one that is not there.
  package let invalidEdges: Int

  /// Steps that no difference of clocks explains.
  package var violations: Int {
    rows.reduce(0) { $0 + $1.beyondSkew } + disorderedEvents + invalidEdges
  }

  /// Checks a recording.
  ///
  /// O(operations + edges + events).
  init(_ trace: Trace) {
    let skew = trace.header.clockSkewNanoseconds
    var rows = Step.allCases.map { Row(step: $0) }
    func note(_ step: Step, _ first: Int64, _ second: Int64) {
      guard first != .min, second != .min, second < first else { return }
      rows[step.rawValue].negative += 1
      if first - second > skew { rows[step.rawValue].beyondSkew += 1 }
      rows[step.rawValue].largest = max(rows[step.rawValue].largest, first - second)
    }
    for operation in trace.operations {
      note(.createdEnqueued, operation.createdTime, operation.enqueuedTime)
      note(.enqueuedReady, operation.enqueuedTime, operation.readyTime)
      note(.readyAdmitted, operation.readyTime, operation.admittedTime)
      note(.readyStarted, operation.readyTime, operation.startedTime)
      note(.startedReturned, operation.startedTime, operation.returnedTime)
      note(.startedFinished, operation.startedTime, operation.finishedTime)
      note(.returnedFinished, operation.returnedTime, operation.finishedTime)
    }
    var invalid = 0
    let count = trace.operations.count
    for edge in trace.edges {
      let (predecessor, successor) = (Int(edge.predecessor), Int(edge.successor))
      guard predecessor < count, successor < count, predecessor != successor else {
        invalid += 1
        continue
      }
      guard !trace.operations[successor].isSkipped else { continue }
      note(
        .predecessorFinishedStarted, trace.operations[predecessor].finishedTime,
        trace.operations[successor].startedTime)
    }
    self.rows = rows
    invalidEdges = invalid
    disorderedEvents = Self.disorderedEvents(trace)
  }

  private static func disorderedEvents(_ trace: Trace) -> Int {
    var count = 0
    var last = [Int64](repeating: .min, count: trace.threads.count)
    for event in trace.schedulerEvents where event.thread >= 0 && Int(event.thread) < last.count {
      if event.time < last[Int(event.thread)] { count += 1 }
      last[Int(event.thread)] = max(last[Int(event.thread)], event.time)
    }
    return count
  }
}
