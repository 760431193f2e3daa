// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation

/// Stops the process with the seed and the step when a run makes no progress, which a call that
/// never returns shows.
package final class Watchdog: Sendable {
  private struct Place {
    var seed: UInt64 = 0
    var name = ""
    var step = 0
    var text = ""
    var since = ContinuousClock.now
    var isDone = false
  }
  private let place = Locked(Place())

  /// Watches until `stop()`; nothing may take longer than `patience`.
  package init(patience: Duration) {
    let place = WeakPlace(self)
    Thread.detachNewThread {
      while let watchdog = place.watchdog, !watchdog.isDone {
        watchdog.check(patience)
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
  }

  private struct WeakPlace: @unchecked Sendable {
    weak var watchdog: Watchdog?
    init(_ watchdog: Watchdog) { self.watchdog = watchdog }
  }

  private var isDone: Bool { @inline(never) get { place.withLock { $0.isDone } } }

  /// The run is at this step now.
  package func note(_ seed: UInt64, _ name: String, _ step: Int, _ what: Step) {
    let text = what.description
    place.withLock { place in
      place.seed = seed
      place.name = name
      place.step = step
      place.text = text
      place.since = .now
    }
    CrashNote.set("seed \(seed), \(name), step \(step): \(text)\n")
  }

  /// The programs are over.
  package func stop() {
    place.withLock { $0.isDone = true }
    CrashNote.set("")
  }

  /// Not inlined, as `Series.now()`.
  @inline(never) private func check(_ patience: Duration) {
    let (isLate, text) = place.withLock { place in
      (
        !place.isDone && place.seed != 0 && ContinuousClock.now - place.since > patience,
        "seed \(place.seed): \(place.name) hangs in step \(place.step) (\(place.text))"
      )
    }
    if isLate { fatalError(text) }
  }
}
