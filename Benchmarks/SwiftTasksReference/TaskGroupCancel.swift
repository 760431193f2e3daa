// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Synchronization
internal import Workloads

/// Pending children of a task group, cancelled all at once.
///
/// The task that adds them holds one of the executor's threads and tasks that spin hold the others,
/// so that no child can start before the group is cancelled.
final class TaskGroupCancel: ReferenceWorkload {
  private let storage: SlotStorage

  init(operations: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "cancel", count: operations)
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let (slots, count) = (storage.slots, storage.count)
    recorder.begin()
    recorder.built()
    TaskBridge.run {
      let held = HeldThreads()
      for _ in 1..<max(workers, 1) { Task.detached { held.hold() } }
      held.waitUntilHeld(workers - 1)
      await withDiscardingTaskGroup { group in
        for index in 0..<count {
          group.addTask { if !Task.isCancelled { slots.increment(index) } }
        }
        group.cancelAll()
        held.release()
      }
    }
    recorder.ran()
    recorder.released()
    if let difference = storage.difference(expected: 0) {
      throw WrongAnswer(message: "cancel on swift-tasks: a cancelled body has run: \(difference)")
    }
  }
}

/// Threads that spin until they are released.
private final class HeldThreads: Sendable {
  private let count = Atomic<Int>(0)
  private let isReleased = Atomic<Bool>(false)

  /// Keeps the calling thread.
  func hold() {
    count.add(1, ordering: .relaxed)  // relaxed: a count, it orders nothing.
    // acquire: pairs with the release below; nothing is read behind it, but the children must not
    // move before it.
    while !isReleased.load(ordering: .acquiring) {}
  }

  /// Spins until that many threads are kept.
  func waitUntilHeld(_ expected: Int) {
    // relaxed: as above.
    while count.load(ordering: .relaxed) < expected {}
  }

  /// Lets every kept thread go.
  func release() {
    // release: pairs with the acquire above.
    isReleased.store(true, ordering: .releasing)
  }
}
