// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import TestSupport
import Testing

/// What a back end gets from `runToCompletion` without writing a loop of its own.
@Suite struct WorkerContextTests {
  /// Jobs that each return the next one, `length` in all; returns the first.
  private func successors(_ length: Int, _ log: Log) -> Job {
    var next: Job?
    for index in (0..<length).reversed() {
      let following = next
      next = ClosureJob.make { _ in
        log.add(index)
        return following
      }
    }
    return next ?? ClosureJob.plain {}
  }

  @Test func successorsRunInPlaceUpToTheBoundAndTheNextOneIsPublished() {
    let log = Log()
    let scheduler = InlineScheduler()
    var context = WorkerContext(worker: 0, scheduler: scheduler.identity)
    var published: [Int] = []
    var left = JobChain()
    unsafe context.runToCompletion(successors(10, log), bound: 3) { chain in
      published.append(chain.count)
      left.append(chain)
    }
    #expect(log.values == [0, 1, 2, 3])
    #expect(published == [1])
    scheduler.submit(left)
    #expect(log.values == Array(0..<10))
  }

  @Test func withoutSuccessorsInPlaceEveryOneIsPublished() {
    let log = Log()
    var context = WorkerContext(worker: 0, scheduler: InlineScheduler().identity)
    var queue = JobChain(successors(4, log))
    var published = 0
    while let job = queue.popFirst() {
      unsafe context.runToCompletion(job, bound: 0) { chain in
        published += chain.count
        queue.append(chain)
      }
    }
    #expect(log.values == [0, 1, 2, 3])
    #expect(published == 3)
  }

  @Test func readyJobsArePublishedBeforeTheSuccessorRuns() {
    let log = Log()
    var context = WorkerContext(worker: 0, scheduler: InlineScheduler().identity)
    var later = JobChain()
    let job = ClosureJob.make { context in
      context.ready.append(ClosureJob.plain { log.add(1) })
      return ClosureJob.plain { log.add(2) }
    }
    unsafe context.runToCompletion(job) { chain in
      log.add(0)
      later.append(chain)
    }
    #expect(log.values == [0, 2])
    InlineScheduler().submit(later)
    #expect(log.values == [0, 2, 1])
  }

  @Test func whatIsHeldBackBecomesVisibleOnceAtTheEnd() {
    var context = WorkerContext(worker: 7, scheduler: InlineScheduler().identity)
    let job = ClosureJob.make { context in
      unsafe context.idle = { context in
        let context = unsafe context.assumingMemoryBound(to: WorkerContext.self)
        unsafe context.pointee.localBands += 1
      }
      return nil
    }
    unsafe context.runToCompletion(job) { _ in }
    #expect(context.localBands == 1)
    context.prepareToIdle()
    #expect(context.localBands == 1)
  }
}

/// A list that jobs of one test append to.
private final class Log: Sendable {
  private let list = Locked<[Int]>([])
  func add(_ value: Int) { list.withLock { $0.append(value) } }
  var values: [Int] { list.withLock { $0 } }
}
