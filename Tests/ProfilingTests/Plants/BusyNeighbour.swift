// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

import class Foundation.ProcessInfo
import class Foundation.Thread

/// Threads outside of every scheduler that want all processors: six for each one.
///
/// A worker among them has a processor for a seventh of the time.
enum BusyNeighbour {
  private static let threadsPerProcessor = 6

  private final class Sign: Sendable {
    let isOver = Atomic<Bool>(false)
  }

  /// Runs `body` while all of them spin; they have ended when it returns.
  static func run(while body: () -> Void) {
    let sign = Sign()
    let spinning = DispatchGroup()
    let begun = DispatchSemaphore(value: 0)
    let count = threadsPerProcessor * ProcessInfo.processInfo.activeProcessorCount
    for _ in 0..<count {
      spinning.enter()
      Thread.detachNewThread {
        begun.signal()
        while !sign.isOver.load(ordering: .relaxed) {}
        spinning.leave()
      }
    }
    for _ in 0..<count { begun.wait() }
    body()
    // Relaxed: it only ends the loops; the group orders what follows.
    sign.isOver.store(true, ordering: .relaxed)
    spinning.wait()
  }
}
