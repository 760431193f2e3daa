// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives

/// What a program does that is legal and probably not meant: one line on stderr each.
package enum Warning {
  /// Where warnings go.
  package struct Handler: Sendable {
    /// Takes them instead of stderr, for tests and the conformance kit.
    package var take: (@Sendable (String) -> Void)?
  }
  package static let handler = Locked(Handler())

  /// An operation was finished before its queue had started it (contract 66).
  ///
  /// Once per operation: it begins with it.
  static func finishedBeforeStart(_ operation: Operation, _ queue: OperationQueue) {
    emit(
      "\(operation.diagnosticName) was finished before queue \"\(queue.stockName)\" had started it; it leaves "
        + "the queue without running. Begin the work in main(), and call finish() when that work is done"
    )
  }

  private static func emit(_ message: String) {
    if let handler = handler.withLock({ $0.take }) { return handler(message) }
    // A warning that cannot be written is lost; the program goes on.
    _ = unsafe shim_write_text(2, "Operations: warning: \(message).\n")
  }
}
