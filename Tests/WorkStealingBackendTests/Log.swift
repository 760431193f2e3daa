// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// Numbers in the order in which jobs added them.
final class Log: Sendable {
  private let numbers = Locked<[Int]>([])
  func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  var entries: [Int] { numbers.withLock { $0 } }
}

/// Set once.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  func set() { value.store(true, ordering: .releasing) }
  var isSet: Bool { value.load(ordering: .acquiring) }
}

/// Holds a job until it is opened.
final class Gate: Sendable {
  private let parker = Parker()
  func wait() { parker.park() }
  func open() { parker.unpark() }
}
