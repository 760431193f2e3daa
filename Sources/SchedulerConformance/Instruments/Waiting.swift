// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import ConcurrencyPrimitives
internal import Glibc
internal import Synchronization

extension SchedulerConformance {
  /// Looks at `condition` until it is true or `limit` has passed; returns whether it became true.
  ///
  /// Polls with short naps, so that it takes no core from the threads it waits for.
  package static func poll(for limit: Duration, _ condition: () -> Bool) -> Bool {
    let deadline = MonotonicTime.deadline(after: limit)
    var naps = 0
    while !condition() {
      if MonotonicTime.nanoseconds() > deadline { return false }
      // Yields first: most conditions are true at once.
      if naps < 20 { shim_thread_yield() } else { usleep(50) }
      naps += 1
    }
    return true
  }
}

/// Looks at `condition` until it is true or the deadline has passed; returns whether it became
/// true.
package func waitUntil(deadline: Duration = .seconds(30), _ condition: () -> Bool) -> Bool {
  SchedulerConformance.poll(for: deadline, condition)
}

/// Runs `body` on that many threads of its own at the same time and returns when all have returned.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  var threads: [SystemThread] = []
  for index in 0..<count {
    do throws(SystemThreadError) {
      threads.append(try SystemThread.start(name: "user-\(index)") { body(index) })
    } catch { fatalError("\(error)") }
  }
  for thread in threads { thread.join() }
}

/// Lets another thread have the core.
package func yieldCore() { shim_thread_yield() }

/// Which thread runs.
package enum CurrentThread {
  /// Different for threads that live at the same time.
  package static var id: UInt { UInt(pthread_self()) }
}

/// Blocks threads until others let them through, one per signal; a blocked thread uses no
/// processor.
package final class Turnstile: Sendable {
  private let futex = Futex()

  /// Lets nobody through.
  package init() {}

  /// Waits for a signal that nobody else has used up.
  package func wait() {
    while true {
      // acquire: pairs with the release in `signal`.
      let free = futex.word.value.load(ordering: .acquiring)
      guard free > 0 else {
        _ = futex.wait(while: 0)
        continue
      }
      let (taken, _) = futex.word.value.compareExchange(
        expected: free, desired: free - 1, ordering: .acquiring)  // acquire: as above
      if taken { return }
    }
  }

  /// Lets one thread through, now or later.
  package func signal() {
    // release: pairs with the acquire in `wait`.
    futex.word.value.wrappingAdd(1, ordering: .releasing)
    futex.wake(1)
  }
}
