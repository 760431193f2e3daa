// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Synchronization

/// Values in the order noted.
package final class Log: Sendable {
  private let entries = Locked<[Int]>([])
  package init() {}
  package func note(_ value: Int) { entries.withLock { $0.append(value) } }
  package var values: [Int] { entries.withLock { $0 } }
}

/// Holds back whoever waits until it is opened.
package final class Gate: Sendable {
  private let isOpen = Atomic<Bool>(false)
  package init() {}
  package func open() { isOpen.store(true, ordering: .releasing) }  // release: pairs with `wait`.
  /// False when it stayed shut for too long.
  @discardableResult package func wait() -> Bool {
    // acquire: pairs with the release in `open`.
    waitUntil(deadline: .seconds(60)) { isOpen.load(ordering: .acquiring) }
  }
}

/// Holds its attendants until all of them are there at the same time, or until it is closed.
package final class Meeting: Sendable {
  private let size: Int
  private let limit: Duration
  private let arrived = Atomic<Int>(0)
  private let left = Atomic<Int>(0)
  private let isClosed = Atomic<Bool>(false)

  /// A meeting of that many, none of whom stays longer than `limit`.
  package init(of size: Int, limit: Duration) {
    self.size = size
    self.limit = limit
  }

  package func attend() {
    // acquire and release, all: what attendants did before they came or left is visible to whoever
    // counts them.
    arrived.add(1, ordering: .acquiringAndReleasing)
    _ = waitUntil(deadline: limit) { attendance >= size || isClosed.load(ordering: .acquiring) }
    left.add(1, ordering: .acquiringAndReleasing)
  }

  /// Lets everybody go.
  package func close() {
    isClosed.store(true, ordering: .releasing)  // release: pairs with the acquire in `attend`.
  }

  // acquire, both: pairs with the release in `attend`.
  package var attendance: Int { arrived.load(ordering: .acquiring) }
  package var departures: Int { left.load(ordering: .acquiring) }
}

/// Counts bodies that run at the same time and remembers the most.
package final class Concurrency: Sendable {
  private let running = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)

  package init() {}

  package func body() {
    // acquire and release, all: a total order of entries and exits.
    let now = running.add(1, ordering: .acquiringAndReleasing).newValue
    _ = highest.max(now, ordering: .acquiringAndReleasing)
    yieldCore()
    running.subtract(1, ordering: .acquiringAndReleasing)
  }

  package var peak: Int { highest.load(ordering: .acquiring) }  // acquire: pairs with `body`.
  package func reset() { highest.store(0, ordering: .releasing) }  // release: as above
}

/// One counter per job.
package final class Counters: Sendable {
  private let counts: [Cell]
  private let sum = Atomic<Int>(0)

  private final class Cell: Sendable { let count = Atomic<Int>(0) }

  package init(count: Int) { counts = (0..<count).map { _ in Cell() } }

  /// Counts one run of this job.
  package func add(_ number: Int) {
    counts[number].count.add(1, ordering: .relaxed)  // relaxed: ordered by the sum.
    sum.add(1, ordering: .releasing)  // release: pairs with the acquire in `total`.
  }

  /// Runs of all jobs.
  // acquire: pairs with the release in `add`.
  package var total: Int { sum.load(ordering: .acquiring) }

  /// The jobs whose number of runs is not 1.
  package var exceptions: [Int] {
    // relaxed: `total` has ordered it.
    counts.indices.filter { counts[$0].count.load(ordering: .relaxed) != 1 }
  }
}

/// A value without any synchronisation of its own.
package final class PlainBox: Sendable {
  package nonisolated(unsafe) var value: Int
  package init(_ value: Int) { unsafe self.value = value }
}
