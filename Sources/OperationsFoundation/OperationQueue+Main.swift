// SPDX-License-Identifier: Apache-2.0

internal import CFoundationHook
internal import Dispatch
internal import Scheduling
internal import Synchronization

/// What `OperationQueue.main` returns.
enum MainQueue {
  static let queue = OperationQueue(
    serialOn: MainScheduler(), fixedName: "NSOperationQueue Main Queue",
    fixedQualityOfService: .userInteractive)
}

/// Runs jobs on the main dispatch queue, which the main thread serves; for one queue, the main one.
///
/// - Order: exact, the most urgent band first, first in, first out within a band.
/// - Fairness: one job per item of the dispatch queue, so that its other users get their turn.
/// - Compensation: none, there is one main thread.
private final class MainScheduler: Scheduler {
  private let jobs = Mutex(BandedFIFO())

  /// 1: the main thread.
  var workerCount: Int { 1 }

  var priorityPolicy: PriorityPolicy { .strict }

  /// Takes over the jobs; any thread.
  func submit(_ jobs: consuming JobChain) {
    let count = jobs.count
    self.jobs.withLock { $0.append(jobs.take()) }
    for _ in 0..<count { DispatchQueue.main.async { self.runOne() } }
  }

  private func runOne() {
    guard let job = jobs.withLock({ $0.popFirst() }) else { return }
    var context = WorkerContext(worker: 0, scheduler: identity)
    unsafe context.runToCompletion(job, bound: 0) { submit($0) }
  }
}

/// Marks the main dispatch queue, which another thread serves once the main thread has called
/// `dispatchMain()`.
private enum MainMark {
  static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isPresent: Bool {
    DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread
  }
}

/// Called before the program's first line, see `CFoundationHook`.
@_cdecl("operations_foundation_install") func installFoundationNames() {
  OperationQueue.roomAbove.withLock { room in
    room.current = { MainMark.isPresent ? MainQueue.queue : nil }
    room.main = { MainQueue.queue }
    room.defaultScheduler = { ProcessWide.scheduler }
  }
}
