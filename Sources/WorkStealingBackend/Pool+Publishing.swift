// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Pool {
  /// Takes over a non-empty chain: onto the calling worker's own deques, or through the injector
  /// from elsewhere.
  func submit(_ jobs: consuming JobChain) {
    let isDone: Void? = withOwnWorker { worker in publish(jobs.take(), on: worker) }
    guard isDone == nil else { return }
    injector.push(bandRules.applied(to: jobs))
    if notify().isStopping {
      fatalError(
        "jobs submitted to a work-stealing pool that has been shut down; expected no submission from "
          + "outside after shutDown(). Wait for the last operation before shutting down.")
    }
  }

  /// Pushes a non-empty chain on the caller's own deques and wakes a worker if need be.
  func publish(_ jobs: consuming JobChain, on worker: Worker) {
    worker.push(bandRules.applied(to: jobs))
    publish(on: worker)
  }

  /// Makes the caller's pushes visible and wakes a worker if need be.
  ///
  /// Both steps at once, edge WorkSeen: without the sequentially consistent store the wake could be
  /// missed.
  @inline(__always) func publish(on worker: Worker) {
    // The only worker is the caller, which does not sleep.
    guard !isAlone else { return worker.showBands() }
    worker.publish()
    notify()
  }

  /// After a publication: if none searches, wakes one worker or, where none is left, asks for a
  /// spare.
  ///
  /// The caller has just made jobs visible with a sequentially consistent store, or added them to
  /// an inbox whose mask shows them.
  @discardableResult @inline(__always) func notify() -> IdleCounts {
    // sequentially consistent, edge WorkSeen: comes after the publication in the total order.
    // Either this load sees the sleeper, or the sleeper's look, which comes after its announcement,
    // sees the publication.
    let counts = IdleCounts(word: idleCounts.value.load(ordering: .sequentiallyConsistent))
    if counts.needsWake { wakeOne(counts) }
    return counts
  }

  /// Turns one sleeper into a searcher, or ends a shortage where nobody sleeps, unless somebody
  /// else has done so meanwhile.
  @inline(never) private func wakeOne(_ seen: IdleCounts) {
    var counts = seen
    while counts.needsWake {
      let isAnyAsleep = counts.sleepers > 0
      let next = isAnyAsleep ? counts.wakingOne : counts.endingShortage
      // sequentially consistent, edge WakerCounts: the waker, not the sleeper, moves the counts, so
      // that of many producers one wakes. The failure value decides again.
      let (done, original) = idleCounts.value.weakCompareExchange(
        expected: counts.word, desired: next.word, ordering: .sequentiallyConsistent)
      if done {
        if isAnyAsleep { handTokens(1) } else { replaceLastBlocked() }
        return
      }
      counts = IdleCounts(word: original)
    }
  }

  /// Lets `count` sleepers go on, which the caller has already counted as searchers.
  func handTokens(_ count: Int) {
    guard count > 0 else { return }
    SchedulerEvents.wakes(count)
    // relaxed: a statistic.
    wakeUps.value.wrappingAdd(count, ordering: .relaxed)
    // releasing, edge TokenHanded: pairs with the exchange in takeToken().
    tokens.word.value.wrappingAdd(UInt32(count), ordering: .releasing)
    tokens.wake(count)
  }
}
