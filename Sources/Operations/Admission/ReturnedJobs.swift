// SPDX-License-Identifier: Apache-2.0

import Scheduling

/// Jobs that were with the scheduler when their queue ceased to be open, and came back: by level,
/// then by ticket.
///
/// Workers bring them in any order. A binary heap: O(log n) each.
struct ReturnedJobs: Sendable {
  private struct Entry: Sendable {
    let job: Job
    let ticket: UInt64
    /// Decides between equal tickets.
    let arrival: UInt64

    func precedes(_ other: Entry) -> Bool {
      if job.band != other.job.band { return job.band < other.job.band }
      return ticket != other.ticket ? ticket < other.ticket : arrival < other.arrival
    }
  }
  private var heap: [Entry] = []
  private var arrivals: UInt64 = 0

  /// The job that `popFirst()` would return.
  var first: Job? { heap.first?.job }

  mutating func insert(_ job: Job, ticket: UInt64) {
    arrivals += 1
    insert(Entry(job: job, ticket: ticket, arrival: arrivals))
  }

  private mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var place = heap.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      guard heap[place].precedes(heap[parent]) else { return }
      heap.swapAt(place, parent)
      place = parent
    }
  }

  mutating func popFirst() -> Job? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first.job }
    heap[0] = last
    var place = 0
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard heap[child].precedes(heap[place]) else { break }
      heap.swapAt(place, child)
      place = child
    }
    return first.job
  }

  /// Takes out what `isTaken` accepts.
  mutating func removeAll(where isTaken: (Job) -> Bool) {
    let all = heap
    heap = []
    for entry in all where !isTaken(entry.job) { insert(entry) }
  }
}
