// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  @Suite struct ForkJoinTests {
    private static let stealing = Kind.all.filter { $0.name == "work-stealing" }
    private static let several = stealing.filter { $0.workers > 1 }

    private static func fibonacci(_ number: Int) -> Int {
      guard number > 1 else { return number }
      let (first, second) = forkJoin({ fibonacci(number - 1) }, { fibonacci(number - 2) })
      return first + second
    }

    @Test(.contract(147), arguments: Kind.all) func nestedForksAddUpInOperationsAndNodes(
      _ kind: Kind
    ) throws {
      let queue = kind.queue()
      let found = Locked<[Int]>([])
      let argument = slowness > 10 ? 12 : 18
      for round in 0..<10 {
        queue.addOperation { found.withLock { $0.append(Self.fibonacci(argument + round % 2)) } }
      }
      queue.expectQuiet()
      let graph = try OperationGraph { builder in
        for round in 0..<10 {
          builder.add { found.withLock { $0.append(Self.fibonacci(argument + round % 2)) } }
        }
      }
      graph.runAndWait(on: queue.scheduler)
      let expected = [Self.fibonacci(argument), Self.fibonacci(argument + 1)]
      #expect(found.withLock { $0.count } == 20)
      #expect(found.withLock { $0.allSatisfy(expected.contains) })
    }

    @Test func outsideOfOperationsBothRunInOrderOnTheCallingThread() {
      let order = Locked<[Int]>([])
      let thread = CurrentThread.id
      forkEach(0..<10, grain: 1) { index in
        order.withLock { $0.append(index) }
        #expect(CurrentThread.id == thread)
      }
      #expect(order.withLock { $0 } == Array(0..<10))
      forkEach(0..<0) { _ in Issue.record("an empty range has no index") }
    }

    @Test(.contract(148), arguments: several)
    func secondHalfRunsOnAnotherWorkerInTheSameSurroundings(_ kind: Kind) {
      let queue = kind.queue()
      let isStolen = Turnstile()
      queue.addOperation {
        let thread = CurrentThread.id
        _ = forkJoin(
          { isStolen.wait() },
          {
            #expect(CurrentThread.id != thread)
            #expect(OperationQueue.current === queue)
            let other = BlockOperation {}
            queue.addOperation(other)
            other.waitUntilFinished()
            #expect(Self.fibonacci(10) == 55)
            isStolen.signal()
          })
      }
      queue.expectQuiet()
      #expect(queue.scheduler.known(\.steals) > 0)
    }

    /// Only the outer one of two nested forks is published with a fence.
    @Test(.contract(148)) func aForkOnTopOfAnotherWakesAWorkerToo() {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 3))
      for _ in 0..<(300 / min(slowness, 6)) {
        let arrived = Atomic(0)
        let haveMet = Atomic(false)
        @Sendable func meet() {
          arrived.add(1, ordering: .relaxed)
          let didMeet = waitUntil { arrived.load(ordering: .relaxed) == 3 }
          if didMeet { haveMet.store(true, ordering: .relaxed) }
        }
        queue.addOperation { _ = forkJoin({ _ = forkJoin(meet, meet) }, meet) }
        queue.expectQuiet()
        let didMeet = haveMet.load(ordering: .relaxed)
        #expect(didMeet, "a worker slept beside an offered job")
      }
    }

    /// The thief blocks, so the owner sleeps in the join, and its worker must be replaced.
    @Test(.contract(148), arguments: several) func joinThatSleepsIsCompensatedAndWoken(_ kind: Kind)
    {
      let queue = kind.queue()
      for _ in 0..<(20 / min(slowness, 4)) {
        let isStolen = Turnstile()
        let gate = Turnstile()
        queue.addOperation {
          _ = forkJoin(
            { isStolen.wait() },
            {
              isStolen.signal()
              gate.wait()
            })
        }
        #expect(waitUntil { queue.scheduler.known(\.compensations) > 0 })
        // With two workers only the one that replaces the sleeper can run this.
        queue.addOperation { gate.signal() }
        queue.expectQuiet()
      }
    }

    /// The owner of the outer fork waits for its second half, in which its taker forks, and runs an
    /// operation that forks; no thread can be started in place of those that wait.
    @Test(.contract(147)) func framesAreFoundThoughNoThreadCanBeStarted() {
      var configuration = WorkStealingConfiguration()
      configuration.compensationLimit = 0
      let scheduler = WorkStealingScheduler(workers: 2, configuration: configuration)
      let queue = OperationQueue(scheduler: scheduler)
      let rounds = 200 / min(slowness, 4)
      let forks = Atomic<Int>(0)
      let ran = Atomic<Int>(0)
      /// Forks for as long as a waiter looks for frames, or until it has taken one.
      @Sendable func fork() {
        let before = scheduler.known(\.steals)
        for _ in 0..<100 where scheduler.known(\.steals) == before {
          forks.add(1, ordering: .relaxed)
          _ = forkJoin(
            {
              for _ in 0..<50 { spinPause() }
              ran.add(1, ordering: .relaxed)
            }, { ran.add(1, ordering: .relaxed) })
        }
      }
      // On a busy machine the two threads seldom run at the same time.
      var done = 0
      while done < rounds || (done < 100 * rounds && scheduler.known(\.steals) <= done) {
        done += 1
        let isTaken = Atomic(false)
        queue.addOperation {
          _ = forkJoin(
            { while !isTaken.load(ordering: .acquiring) { spinPause() } },
            {
              isTaken.store(true, ordering: .releasing)
              fork()
              let other = BlockOperation { fork() }
              queue.addOperation(other)
              other.waitUntilFinished()
            })
        }
        queue.expectQuiet()
      }
      #expect(ran.load(ordering: .relaxed) == 2 * forks.load(ordering: .relaxed))
      #expect(scheduler.known(\.steals) > done, "no frame inside another was stolen")
    }

    /// Nodes that fork under a lock, beside nodes whose halves take it: a waiting owner must not
    /// run one of those.
    @Test(.contract(147, 148), arguments: stealing)
    func ownerThatHoldsALockRunsNoHalfOfAnotherNode(_ kind: Kind) throws {
      let scheduler = kind.make(kind.workers)
      let lock = Locked(0)
      let graph = try OperationGraph { builder in
        for number in 0..<64 {
          builder.add {
            if number % 4 == 0 {
              lock.withLock { _ in
                forkEach(0..<8, grain: 1) { index in
                  if index % 3 == 0 { for _ in 0..<100 { spinPause() } }
                  _ = forkJoin({ for _ in 0..<20 { spinPause() } }, {})
                }
              }
            } else {
              forkEach(0..<16, grain: 1) { if $0 % 5 == 0 { lock.withLock { $0 += 1 } } }
            }
          }
        }
      }
      let rounds = 100 / min(slowness, 4)
      for _ in 0..<rounds {
        let isOver = graph.run(on: scheduler).wait(timeout: patience)
        #expect(isOver)
        guard isOver else { return }
      }
      #expect(lock.withLock { $0 } == rounds * 48 * 4)
    }

    /// A waiting owner leaves a job of the taker's that is no frame; the taker waits for it and
    /// finds it.
    @Test(.contract(145, 147)) func nodeThatATakerWaitsForIsLeftWithIt() throws {
      var configuration = WorkStealingConfiguration()
      configuration.compensationLimit = 0
      let scheduler = WorkStealingScheduler(workers: 2, configuration: configuration)
      let queue = OperationQueue(scheduler: scheduler)
      let rounds = 200 / min(slowness, 4)
      let ran = Atomic<Int>(0)
      let inner = try OperationGraph { builder in
        for _ in 0..<20 { builder.add { for _ in 0..<50 { spinPause() } } }
        builder.add { ran.add(1, ordering: .relaxed) }
      }
      for _ in 0..<rounds {
        let isTaken = Turnstile()
        queue.addOperation {
          _ = forkJoin(
            { isTaken.wait() },
            {
              isTaken.signal()
              inner.runAndWait(on: scheduler)
            })
        }
        queue.expectQuiet()
      }
      #expect(ran.load(ordering: .relaxed) == rounds)
    }

    /// Without bands a frame must be found again after a helping worker has looked for one above
    /// it.
    @Test(.contract(147)) func urgentFrameIsFoundBelowAnotherWithoutBands() {
      var configuration = WorkStealingConfiguration()
      configuration.compensationLimit = 0
      configuration.priorityPolicy = .none
      let queue = OperationQueue(
        scheduler: WorkStealingScheduler(workers: 1, configuration: configuration))
      queue.blockingPolicy = .help
      let awaited = AsyncOperation(body: { (_: AsyncOperation) in })
      queue.addOperation(awaited)
      let order = Locked<[Int]>([])
      let forking = BlockOperation {
        _ = forkJoin(
          {
            _ = forkJoin({ awaited.waitUntilFinished() }, { awaited.finish() })
            order.withLock { $0.append(1) }
          }, { order.withLock { $0.append(2) } })
      }
      forking.queuePriority = .high
      queue.addOperation(forking)
      queue.expectQuiet()
      #expect(order.withLock { $0 } == [1, 2])
    }

    /// Operations that the first half adds lie above the frame on the deque.
    @Test(.contract(147), arguments: stealing) func forkIsFoundBelowOperationsAddedMeanwhile(
      _ kind: Kind
    ) {
      let queue = kind.queue()
      let ran = Atomic<Int>(0)
      let inner = Atomic<Int>(0)
      queue.addOperation {
        forkEach(0..<64, grain: 1) { _ in
          for _ in 0..<20 { queue.addOperation { ran.add(1, ordering: .relaxed) } }
          inner.add(1, ordering: .relaxed)
        }
        #expect(inner.load(ordering: .relaxed) == 64)
      }
      queue.expectQuiet()
      #expect(ran.load(ordering: .relaxed) == 64 * 20)
    }

    struct Failure: Error, Equatable { let index: Int }

    @Test(.contract(149), arguments: Kind.each) func errorOfTheFirstHalfWinsAndBothHaveRun(
      _ kind: Kind
    ) {
      let queue = kind.queue()
      let ran = Atomic<Int>(0)
      @Sendable func fail(_ index: Int) throws(Failure) -> Int {
        ran.add(1, ordering: .relaxed)
        throw Failure(index: index)
      }
      queue.addOperation {
        do throws(Failure) {
          _ = try forkJoin(
            { () throws(Failure) in try fail(1) }, { () throws(Failure) in try fail(2) })
          Issue.record("both halves throw")
        } catch {
          #expect(error.index == 1)
        }
        do throws(Failure) {
          _ = try forkJoin({ () throws(Failure) in 1 }, { () throws(Failure) in try fail(3) })
          Issue.record("the second half throws")
        } catch {
          #expect(error.index == 3)
        }
        do throws(Failure) {
          try forkEach(0..<64, grain: 8) { index throws(Failure) in
            if index % 8 == 7 { throw Failure(index: index) }
            ran.add(1, ordering: .relaxed)
          }
          Issue.record("every grain throws")
        } catch {
          #expect(error.index == 7)
        }
      }
      queue.expectQuiet()
      #expect(ran.load(ordering: .relaxed) == 3 + 56)
    }

    @Test(.contract(147), arguments: Kind.all) func everyIndexIsVisitedOnceAndSeenByTheJoin(
      _ kind: Kind
    ) {
      let queue = kind.queue()
      let count = 20_000 / min(slowness, 10)
      let cells = Cells(count)
      for grain in [nil, 1, 7, 1000, count] {
        queue.addOperation {
          forkEach(0..<count, grain: grain) { cells.add($0) }
          #expect(cells.takeAll { $0 == 1 }, "grain \(String(describing: grain))")
        }
        queue.expectQuiet()
      }
    }

    /// Operations with random trees of forks, some of which wait for other operations, beside each
    /// other.
    @Test(.contract(147), arguments: Kind.all, [BlockingPolicy.automatic, .help])
    func randomTreesComputeWhatTheSerialOnesDo(_ kind: Kind, _ policy: BlockingPolicy) {
      let queue = kind.queue()
      queue.blockingPolicy = policy
      for seed in stressSeed..<stressSeed + UInt64(400 * stressFactor / slowness) {
        let sums = Locked<[Int]>([])
        for part in 0..<4 {
          queue.addOperation {
            let sum = Self.tree(seed: seed &* 4 &+ UInt64(part), depth: 9, queue)
            sums.withLock { $0.append(sum) }
          }
        }
        queue.expectQuiet("seed \(seed)")
        let expected = (0..<4).map { Self.tree(seed: seed &* 4 &+ UInt64($0), depth: 9, nil) }
        #expect(sums.withLock { $0.sorted() } == expected.sorted(), "seed \(seed)")
      }
    }

    /// A sum over a tree that the seed decides; serial without a queue.
    private static func tree(seed: UInt64, depth: Int, _ queue: OperationQueue?) -> Int {
      var random = SeededGenerator(seed: seed)
      let here = random.index(below: 1000)
      guard depth > 0, random.index(below: 8) > 0 else { return here }
      let seeds = (random.next(), random.next())
      let event = random.index(below: 40)
      guard let queue else {
        return here + tree(seed: seeds.0, depth: depth - 1, nil)
          + tree(seed: seeds.1, depth: depth - 1, nil)
      }
      switch event {
      case 0: queue.addOperation {}
      case 1:
        let other = BlockOperation {}
        queue.addOperation(other)
        other.waitUntilFinished()
      default: for _ in 0..<random.index(below: 20) { spinPause() }
      }
      let (first, second) = forkJoin(
        { tree(seed: seeds.0, depth: depth - 1, queue) },
        { tree(seed: seeds.1, depth: depth - 1, queue) })
      return here + first + second
    }
  }
}

/// Numbers in plain memory, so that ThreadSanitizer sees a join that does not order.
@safe private final class Cells: Sendable {
  private nonisolated(unsafe) let cells: UnsafeMutablePointer<Int>
  private let count: Int

  init(_ count: Int) {
    self.count = count
    unsafe cells = .allocate(capacity: count)
    unsafe cells.initialize(repeating: 0, count: count)
  }

  deinit { unsafe cells.deallocate() }

  func add(_ index: Int) { unsafe cells[index] += 1 }

  /// Whether all satisfy the test; they are 0 afterwards.
  func takeAll(_ isRight: (Int) -> Bool) -> Bool {
    defer { unsafe cells.update(repeating: 0, count: count) }
    return (0..<count).allSatisfy { isRight(unsafe cells[$0]) }
  }
}
