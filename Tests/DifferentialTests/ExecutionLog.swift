// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// What the bodies of one run have noted.
final class ExecutionLog: Sendable {
  struct Start: Sendable, Equatable {
    var operation: Int
    /// The step during which the body began.
    var step: Int
    /// The queue that was current inside the body.
    var queue: Int?
  }

  struct Entries: Sendable {
    var step = 0
    var starts: [Start] = []
    var runs: [Int]
    var extraRuns: [Int]
    var completions: [Int]
    /// Tickets of the beginning and the end of each body.
    var begun: [Int]
    var ended: [Int]
    var ticket = 0
  }

  private let entries: Locked<Entries>

  init(operations count: Int) {
    let zeros = Array(repeating: 0, count: count)
    entries = Locked(
      Entries(runs: zeros, extraRuns: zeros, completions: zeros, begun: zeros, ended: zeros))
  }

  var value: Entries { entries.withLock { $0 } }

  func step(_ number: Int) { entries.withLock { $0.step = number } }
  func begins(_ operation: Int, in queue: Int?) {
    entries.withLock { entries in
      entries.starts.append(Start(operation: operation, step: entries.step, queue: queue))
      entries.runs[operation] += 1
      entries.ticket += 1
      entries.begun[operation] = entries.ticket
    }
  }
  func ends(_ operation: Int) {
    entries.withLock { entries in
      entries.ticket += 1
      entries.ended[operation] = entries.ticket
    }
  }
  func extraRuns(_ operation: Int) {
    entries.withLock { entries in
      entries.extraRuns[operation] += 1
      entries.ticket += 1
      entries.ended[operation] = entries.ticket
    }
  }
  func completes(_ operation: Int) { entries.withLock { $0.completions[operation] += 1 } }
}
