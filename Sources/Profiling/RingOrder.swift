// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// The events of several rings in the order of their times; those of one ring stay in their own.
struct RingOrder {
  private struct Cursor {
    var ticks: UInt64
    var ring: Int
    var position: Int

    static func < (one: Cursor, other: Cursor) -> Bool {
      (one.ticks, one.ring) < (other.ticks, other.ring)
    }
  }

  private let rings: [RingContents]
  /// A binary heap, the earliest first.
  private var heap: [Cursor] = []

  init(_ rings: [RingContents]) {
    self.rings = rings
    for (index, ring) in rings.enumerated() {
      guard let first = ring.events.first else { continue }
      heap.append(Cursor(ticks: first.ticks, ring: index, position: 0))
    }
    heap.sort(by: <)
  }

  /// The ring and the position of the next event; O(log rings).
  mutating func next() -> (ring: Int, position: Int)? {
    guard let earliest = heap.first else { return nil }
    let events = rings[earliest.ring].events
    let following = earliest.position + 1
    if following < events.count {
      // A thread's own order counts, whatever its clock says.
      heap[0].ticks = max(earliest.ticks, events[following].ticks)
      heap[0].position = following
    } else {
      heap[0] = heap[heap.count - 1]
      heap.removeLast()
    }
    sink()
    return (earliest.ring, earliest.position)
  }

  private mutating func sink() {
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
        if heap[child] < heap[least] { least = child }
      }
      guard least != place else { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}
