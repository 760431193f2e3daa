// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling

/// The events of several rings in the order of their times; those of one ring stay in their own.
struct RingOrder {
  private struct Cursor: Comparable {
    var ticks: UInt64
    var ring: Int
    var position: Int

    static func < (one: Cursor, other: Cursor) -> Bool {
      (one.ticks, one.ring) < (other.ticks, other.ring)
    }
  }

  private let rings: [RingContents]
  private var cursors = MinHeap<Cursor>()

  init(_ rings: [RingContents]) {
    self.rings = rings
    for (index, ring) in rings.enumerated() {
      guard let first = ring.events.first else { continue }
      cursors.insert(Cursor(ticks: first.ticks, ring: index, position: 0))
    }
  }

  /// The ring and the position of the next event; O(log rings).
  mutating func next() -> (ring: Int, position: Int)? {
    guard let earliest = cursors.first else { return nil }
    let events = rings[earliest.ring].events
    let following = earliest.position + 1
    if following < events.count {
      // A thread's own order counts, whatever its clock says.
      let ticks = max(earliest.ticks, events[following].ticks)
      cursors.replaceFirst(
        with: Cursor(ticks: ticks, ring: earliest.ring, position: following))
    } else {
      cursors.popFirst()
    }
    return (earliest.ring, earliest.position)
  }
}
