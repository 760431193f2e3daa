// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Looks at `condition` until it is true or the deadline has passed; returns whether it became true.
///
/// Polls with short naps, so that it takes no core from the threads it waits for.
package func waitUntil(
  deadline: Duration = .seconds(30), _ condition: () -> Bool
) -> Bool {
  let clock = ContinuousClock()
  let end = clock.now + deadline
  var naps = 0
  while !condition() {
    if clock.now > end { return false }
    // Yields first: most conditions are true at once.
    if naps < 20 { Thread.sleep(forTimeInterval: 0) } else { Thread.sleep(forTimeInterval: 50e-6) }
    naps += 1
  }
  return true
}

/// Runs `body` on that many threads of its own at the same time and returns when all have returned.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ended = NSCondition()
  // Guarded by `ended`.
  nonisolated(unsafe) var left = count
  for index in 0..<count {
    Thread.detachNewThread {
      body(index)
      ended.lock()
      unsafe left -= 1
      ended.signal()
      ended.unlock()
    }
  }
  ended.lock()
  while unsafe left > 0 { ended.wait() }
  ended.unlock()
}

/// Lets another thread have the core.
package func yieldCore() { sched_yield() }
