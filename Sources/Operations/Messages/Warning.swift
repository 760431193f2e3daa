// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives

/// What a program does that is legal and probably not meant: one line on stderr each.
package enum Warning {
  /// Where warnings go.
  package struct Handler: Sendable {
    /// Says whether it has taken the message; then stderr does not get it.
    package typealias Taker = @Sendable (String) -> Bool

    fileprivate var takers: [Int: Taker] = [:]
    private var next = 0

    /// Asks `taker` too, for tests and the conformance kit; returns what `remove(_:)` needs.
    package mutating func add(_ taker: @escaping Taker) -> Int {
      next += 1
      takers[next] = taker
      return next
    }

    /// Asks that one no longer.
    package mutating func remove(_ number: Int) { takers[number] = nil }
  }
  package static let handler = Locked(Handler())

  /// An operation was finished before its queue had started it (contract 66).
  ///
  /// Once per operation: it begins with it.
  static func finishedBeforeStart(_ operation: Operation, _ queue: OperationQueue) {
    let message =
      "\(operation.diagnosticName) was finished before queue \"\(queue.storedName)\" had started it; it leaves "
      + "the queue without running. Begin the work in main(), and call finish() when that work is done"
    // All are asked: several may listen at the same time.
    let takers = handler.withLock { Array($0.takers.values) }
    guard !takers.reduce(false, { $1(message) || $0 }) else { return }
    // A warning that cannot be written is lost; the program goes on.
    _ = unsafe shim_write_text(2, "Operations: warning: \(message).\n")
  }
}
