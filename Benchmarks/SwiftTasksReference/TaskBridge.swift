// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Harness
internal import Synchronization

/// Runs asynchronous work for a thread that waits for it.
enum TaskBridge {
  /// Runs `body` in a task and blocks the calling thread until it has returned.
  static func run(_ body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      await body()
      done.signal()
    }
    done.wait()
  }

  /// Runs `body` in a task, blocks the calling thread until it has returned, and returns what it
  /// returned.
  static func value(_ body: @escaping @Sendable () async -> UInt64) -> UInt64 {
    let value = Atomic<UInt64>(0)
    run {
      let result = await body()
      // relaxed: the semaphore orders it.
      value.store(result, ordering: .relaxed)
    }
    // relaxed: as above.
    return value.load(ordering: .relaxed)
  }

  /// Runs `body` in a task, blocks until it has returned, and returns the time just before the task
  /// was made.
  static func time(_ body: @escaping @Sendable () -> Void) -> UInt64 {
    let done = DispatchSemaphore(value: 0)
    let submitted = MonotonicClock.nanoseconds()
    Task.detached {
      body()
      done.signal()
    }
    done.wait()
    return submitted
  }
}
