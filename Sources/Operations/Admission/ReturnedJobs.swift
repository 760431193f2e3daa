// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling

/// Jobs that were with the scheduler when their queue ceased to be open, and came back: by level,
/// then by ticket.
///
/// Workers bring them in any order. O(log n) each.
struct ReturnedJobs: Sendable {
  private struct Entry: Comparable, Sendable {
    let job: Job
    let ticket: UInt64
    /// Decides between equal tickets.
    let arrival: UInt64

    private var place: (PriorityBand, UInt64, UInt64) { (job.band, ticket, arrival) }

    static func < (one: Self, other: Self) -> Bool { one.place < other.place }
    static func == (one: Self, other: Self) -> Bool { one.arrival == other.arrival }
  }
  private var heap = MinHeap<Entry>()
  private var arrivals: UInt64 = 0

  /// The job that `popFirst()` would return.
  var first: Job? { heap.first?.job }

  mutating func insert(_ job: Job, ticket: UInt64) {
    arrivals += 1
    heap.insert(Entry(job: job, ticket: ticket, arrival: arrivals))
  }

  mutating func popFirst() -> Job? { heap.popFirst()?.job }

  /// Takes out what `isTaken` accepts.
  mutating func removeAll(where isTaken: (Job) -> Bool) {
    heap.removeAll { isTaken($0.job) }
  }
}
