// SPDX-License-Identifier: Apache-2.0

/// Takes the steps of a script one by one, each when nothing goes on by itself any more, and
/// compares what is seen with what the contract says.
struct ModelRun {
  let script: Script
  let outcome: Outcome

  /// What differs, in words; empty when nothing does.
  var differences: [String] {
    for (number, expected) in script.expected.enumerated() {
      let place = "after step \(number) (\(script.steps[number]))"
      guard number < outcome.snapshots.count else { return ["\(place): the run has ended"] }
      let seen = outcome.snapshots[number].masked(by: expected)
      if seen != expected {
        return ["\(place):"] + seen.differences("seen", from: expected, "expected")
      }
    }
    return startDifferences + orderFaults
  }

  /// The start order of serial queues where it is promised.
  private var startDifferences: [String] {
    var found: [String] = []
    for (step, queues) in script.orderedQueues.enumerated() {
      for queue in queues {
        let seen = outcome.log.starts.filter {
          $0.step == step && script.queueOf[$0.operation] == queue
        }.map(\.operation)
        let expected = script.begun[step].filter {
          script.queueOf[$0] == queue && script.program.plans[$0].kind != .plain
        }
        if seen != expected {
          found.append(
            "start order in queue \(queue) at step \(step): \(seen), expected \(expected)")
        }
      }
    }
    return found
  }

  /// Bodies that began before one had ended that they wait for.
  private var orderFaults: [String] {
    script.edges.compactMap { earlier, later in
      let (ended, begun) = (outcome.log.ended[earlier], outcome.log.begun[later])
      guard outcome.log.runs[earlier] > 0, begun > 0, ended == 0 || ended > begun else {
        return nil
      }
      return "\(later) began before \(earlier) had ended"
    }
  }
}
