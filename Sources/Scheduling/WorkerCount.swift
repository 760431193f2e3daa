// SPDX-License-Identifier: Apache-2.0

/// How many workers a scheduler may have.
package enum WorkerCount {
  /// Threads that a scheduler may have, compensation included.
  package static let limit = 65_535

  /// Stops the process unless `count` workers and `spares` compensation threads are legal.
  package static func check(_ count: Int, spares: Int, of scheduler: String) {
    guard count >= 1, count <= limit - spares else {
      fatalError(
        "\(scheduler): workers is \(count); expected 1 to \(limit - spares), which with \(spares) compensation threads is "
          + "\(limit); pass the number of operations that shall run at a time, usually one per processor."
      )
    }
  }
}
