// SPDX-License-Identifier: Apache-2.0

import RandomPrograms

/// Sets the outcomes of one script on two implementations beside each other.
struct Comparison {
  let script: Script
  let reference: (name: String, outcome: Outcome)
  let tested: (name: String, outcome: Outcome)

  /// What differs, in words; empty when nothing does.
  var differences: [String] {
    snapshotDifferences + startDifferences
      + orderFaults(reference.name, reference.outcome) + orderFaults(tested.name, tested.outcome)
  }

  private var snapshotDifferences: [String] {
    for number in script.steps.indices {
      let place = "after step \(number) (\(script.steps[number]))"
      let expected = script.expected[number]
      // Where both stop at the same place with the same view, the expectation was wrong.
      guard number < reference.outcome.snapshots.count, number < tested.outcome.snapshots.count
      else { return ["\(place): one of the runs has ended"] }
      let seen = reference.outcome.snapshots[number].masked(by: expected)
      let other = tested.outcome.snapshots[number].masked(by: expected)
      var found = other.differences(tested.name, from: seen, reference.name)
      if found.isEmpty, seen != expected {
        found = seen.differences("both", from: expected, "expected")
      }
      if !found.isEmpty { return ["\(place):"] + found }
    }
    return []
  }

  /// When each body began, what was current in it, and the start order of serial queues where it is
  /// promised.
  private var startDifferences: [String] {
    var found: [String] = []
    for number in script.program.plans.indices {
      let mine = tested.outcome.log.starts.filter { $0.operation == number }
      let theirs = reference.outcome.log.starts.filter { $0.operation == number }
      if mine != theirs {
        found.append(
          "starts of \(number): \(tested.name) \(mine.map(Self.text)), "
            + "\(reference.name) \(theirs.map(Self.text))")
      }
    }
    for (step, queues) in script.orderedQueues.enumerated() {
      for queue in queues {
        let mine = order(tested.outcome, step, queue)
        let theirs = order(reference.outcome, step, queue)
        if mine != theirs {
          found.append(
            "start order in queue \(queue) at step \(step): \(tested.name) \(mine), "
              + "\(reference.name) \(theirs)")
        }
      }
    }
    return found
  }

  private static func text(_ start: ExecutionLog.Start) -> String {
    "at step \(start.step) in queue \(start.queue.map(String.init) ?? "none")"
  }

  private func order(_ outcome: Outcome, _ step: Int, _ queue: Int) -> [Int] {
    outcome.log.starts.filter { $0.step == step && script.queueOf[$0.operation] == queue }
      .map(\.operation)
  }

  /// Bodies that began before one had ended that they wait for.
  private func orderFaults(_ name: String, _ outcome: Outcome) -> [String] {
    script.edges.compactMap { earlier, later in
      let (ended, begun) = (outcome.log.ended[earlier], outcome.log.begun[later])
      guard outcome.log.runs[earlier] > 0, begun > 0, ended == 0 || ended > begun else {
        return nil
      }
      return "\(name): \(later) began before \(earlier) had ended"
    }
  }

  /// Everything that helps to understand a difference.
  var report: String {
    """
    \(tested.name) and \(reference.name) differ:
      \(differences.joined(separator: "\n  "))
    \(script.listing)
    starts on \(tested.name): \(starts(tested.outcome))
    starts on \(reference.name): \(starts(reference.outcome))
    """
  }

  private func starts(_ outcome: Outcome) -> String {
    outcome.log.starts.map { "\($0.operation)@\($0.step)" }.joined(separator: " ")
  }
}
