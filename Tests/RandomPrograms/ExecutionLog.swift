// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// What the bodies of one run have noted.
package final class ExecutionLog: Sendable {
  package struct Start: Sendable, Equatable {
    package var operation: Int
    /// The step during which the body began.
    package var step: Int
    /// The queue that was current inside the body.
    package var queue: Int?
  }

  package struct Entries: Sendable {
    package var step = 0
    package var starts: [Start] = []
    package var runs: [Int]
    package var extraRuns: [Int]
    package var completions: [Int]
    /// Tickets of the beginning and the end of each body.
    package var begun: [Int]
    package var ended: [Int]
    package var ticket = 0
  }

  private let entries: Locked<Entries>

  package init(operations count: Int) {
    let zeros = Array(repeating: 0, count: count)
    entries = Locked(
      Entries(runs: zeros, extraRuns: zeros, completions: zeros, begun: zeros, ended: zeros))
  }

  package var value: Entries { entries.withLock { $0 } }

  package func step(_ number: Int) { entries.withLock { $0.step = number } }
  package func begins(_ operation: Int, in queue: Int?) {
    entries.withLock { entries in
      entries.starts.append(Start(operation: operation, step: entries.step, queue: queue))
      entries.runs[operation] += 1
      entries.ticket += 1
      entries.begun[operation] = entries.ticket
    }
  }
  package func ends(_ operation: Int) {
    entries.withLock { entries in
      entries.ticket += 1
      entries.ended[operation] = entries.ticket
    }
  }
  package func extraRuns(_ operation: Int) {
    entries.withLock { entries in
      entries.extraRuns[operation] += 1
      entries.ticket += 1
      entries.ended[operation] = entries.ticket
    }
  }
  package func completes(_ operation: Int) { entries.withLock { $0.completions[operation] += 1 } }
}
