// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// Numbers in the order in which jobs added them.
final class Log: Sendable {
  private let numbers = Locked<[Int]>([])
  func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  var entries: [Int] { numbers.withLock { $0 } }
}
