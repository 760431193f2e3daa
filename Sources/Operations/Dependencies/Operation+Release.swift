// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Scheduling
import Synchronization

// The finished event, and what becomes ready by it. Protocol: Release.md.

/// What a walk over a sealed list leaves to do.
struct Released: ~Copyable {
  /// Jobs for other queues' policies or other schedulers, oldest first.
  var others = JobChain()
  /// List of waiters.
  var waiters: UInt = 0
}

extension Operation {
  /// Seals the successor list: this is the moment the operation is finished.
  ///
  /// Returns the list for the one caller that finished it, nil for every later one.
  @inline(__always) final func seal() -> UInt? {
    // sequentially consistent, edge Finished: publishes the body's writes to whoever acquires the
    // seal; edge EdgePushed: makes the registrars' links and counts readable; edge Completion: see
    // `completionBlock`.
    let head = successors.exchange(SuccessorWord.sealed, ordering: .sequentiallyConsistent)
    return head == SuccessorWord.sealed ? nil : head
  }

  /// Releases what waited for the operation: the list that `seal` returned.
  ///
  /// Jobs made ready for the context's scheduler go to `context.ready`, oldest first; the oldest is
  /// returned instead when nothing more urgent is at hand. What would run inside of this call is
  /// owed.
  @inline(__always) final func releaseDependents(
    _ head: UInt, isRecorded: Bool, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    guard head != SuccessorWord.empty else { return nil }
    let successor =
      Self.isOnly(head)
      ? unsafe releaseOne(head, isRecorded: isRecorded, record, context)
      : unsafe releaseSeveral(head, record, context)
    if let kept = successor, unsafe context.pointee.localBands & (kept.band.mask - 1) != 0 {
      // Something more urgent is queued with this worker.
      unsafe context.pointee.ready.prepend(kept)
      return nil
    }
    return successor
  }

  /// As `releaseDependents` while a recording is under way, which gets the finish as well.
  @inline(never) final func releaseRecorded(
    _ head: UInt, _ record: ThreadRecord, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    EventRings.noteRelease(word, info: finishDetails.info)
    return unsafe releaseDependents(head, isRecorded: true, record, context)
  }

  /// The list is one inline edge.
  @inline(__always) private static func isOnly(_ head: UInt) -> Bool {
    // The link is read before the dependent can run, finish and die.
    // relaxed: acquired
    unsafe head & SuccessorWord.recordTag == 0
      && edgeLink(head).pointee.load(ordering: .relaxed) == SuccessorWord.empty
  }

  /// As `releaseSeveral` for one inline edge.
  @inline(__always) private final func releaseOne(
    _ entry: UInt, isRecorded: Bool, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    var others = JobChain()
    let ready = unsafe Self.reference(entry)._withUnsafeGuaranteedRef { dependent in
      unsafe dependent.resolve(
        .slot(Int((entry >> 1) & 7)), by: word, isRecorded: isRecorded, context, &others)
    }
    if !others.isEmpty { record.handOverOrOwe(others) }
    return ready
  }

  @inline(never) private final func releaseSeveral(
    _ head: UInt, _ record: ThreadRecord, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    var released = Released()
    let kept = unsafe walkSuccessors(head, context, &released)
    if !released.others.isEmpty { record.handOverOrOwe(released.others) }
    if released.waiters != 0 { Self.wakeWaiters(released.waiters) }
    return kept
  }

  /// Walks a sealed list, newest entry first; returns the last job made ready, the oldest
  /// registration.
  @inline(__always) final func walkSuccessors(
    _ head: UInt, _ context: UnsafeMutablePointer<WorkerContext>, _ released: inout Released
  ) -> Job? {
    var entry = head
    var kept: Job?
    while entry != SuccessorWord.empty {
      var ready: Job?
      if entry & SuccessorWord.recordTag == 0 {
        // The link is read before the dependent can run, finish and die.
        // relaxed: acquired
        let link = unsafe Self.edgeLink(entry).pointee.load(ordering: .relaxed)
        shim_prefetch(link & ~15)
        let slot = Int((entry >> 1) & 7)
        unsafe Self.reference(entry)._withUnsafeGuaranteedRef { dependent in
          ready = unsafe dependent.resolve(
            .slot(slot), by: word, isRecorded: isRecording, context, &released.others)
        }
        entry = link
      } else {
        let record = unsafe Self.record(entry)
        let link = unsafe record.pointee.link.load(ordering: .relaxed)  // relaxed: acquired
        if unsafe record.pointee.kind == .edge {
          let owner = unsafe record.pointee.owner
          unsafe Self.reference(owner)._withUnsafeGuaranteedRef { dependent in
            ready = unsafe dependent.resolve(
              .record(record), by: word, isRecorded: isRecording, context, &released.others)
          }
        } else {
          // relaxed: this thread's list
          unsafe record.pointee.link.store(released.waiters, ordering: .relaxed)
          released.waiters = entry
        }
        entry = link
      }
      guard let ready else { continue }
      if let earlier = kept, ready.band <= earlier.band {
        unsafe context.pointee.ready.prepend(earlier)
        kept = ready
      } else if kept == nil {
        kept = ready
      } else {
        unsafe context.pointee.ready.prepend(ready)
      }
    }
    return kept
  }

  /// One edge of this operation is resolved; returns the job when that made it ready for the
  /// context's scheduler.
  @inline(__always)
  private final func resolve(
    _ edge: EdgeLocation, by releaser: UInt, isRecorded: @autoclosure () -> Bool,
    _ context: UnsafeMutablePointer<WorkerContext>, _ others: inout JobChain
  ) -> Job? {
    // acquire and release, edge Resolved: all subtractions of the word form one release sequence,
    // so whoever gets zero sees what every dependency wrote; sequentially consistent, edge
    // LevelChanged: before the look at the band.
    let old = pending.wrappingSubtract(1, ordering: .sequentiallyConsistent).oldValue
    if old == 1 {
      if isRecorded() { EventRings.noteReady(word, by: releaser) }
      // relaxed: only a hint. What waits for this operation will be touched when it has run.
      shim_prefetch(successors.load(ordering: .relaxed) & ~15)
      return unsafe accept(job, context, &others)
    }
    if old & PendingBit.lockedCount == 0 { return nil }
    var handed: Job?
    unsafe resolveUnderLock(edge, by: releaser) { operation, handle in
      handed = unsafe operation.accept(operation.job(of: handle), context, &others)
    }
    return handed
  }

  /// Gives a ready job to its queue; returns it when the context's scheduler may run it as it is.
  @inline(__always)
  private final func accept(
    _ job: Job, _ context: UnsafeMutablePointer<WorkerContext>, _ others: inout JobChain
  ) -> Job? {
    // SAFETY: nobody else can start the operation before this hand-over, so it is still a member.
    let isDirect = unsafe queueReference._withUnsafeGuaranteedRef { queue in
      unsafe queue.isFast && queue.home.identity == context.pointee.scheduler
    }
    if isDirect { return job }
    others.prepend(job)
    return nil
  }

  /// For deinit: what is still on the list waits for nothing any more.
  final func resolveStaleSuccessors() {
    guard let head = seal(), head != SuccessorWord.empty else { return }
    _ = unsafe Self.withContext(of: nil) { unsafe releaseSeveral(head, ThreadRecord.current, $0) }
  }
}
