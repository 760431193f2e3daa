// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import DispatchBackend
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend
import WorkStealingBackend

extension OperationLayer {
  /// Waits inside bodies, thousands of them one inside the other or one after the other.
  @Suite struct DeepWaitTests {
    /// Every body adds the next operation and waits for it.
    @Test(.contract(101), arguments: Kind.pools)
    func chainOfWaitsEnds(_ kind: Kind) {
      let depth = deepFactor * 3_000
      let queue = kind.queue()
      let chain = NestedWaits(in: queue)
      chain.begin(levels: depth)
      queue.expectQuiet("of \(depth)")
      #expect(chain.count == depth + 1)
    }

    /// Every body waits for one that becomes ready later, so that no thread can run what it waits
    /// for itself.
    @Test(.contract(101), arguments: Kind.pools)
    func waitsForWhatIsNotReadyYetEnd(_ kind: Kind) {
      let queue = kind.queue()
      let gate = Operation()
      let awaited = (0..<400).map { _ in
        let operation = TestOperation()
        operation.addDependency(gate)
        return operation
      }
      for operation in awaited { queue.addOperation { operation.waitUntilFinished() } }
      queue.addOperations(awaited, waitUntilFinished: false)
      queue.addOperation(gate)
      queue.expectQuiet()
      #expect(awaited.allSatisfy { $0.runCount == 1 })
    }

    /// Hundreds wait for one that executes, and that one for what becomes ready when all threads
    /// are blocked.
    @Test(.contract(101), arguments: Kind.pools)
    func waitsForOneThatWaitsItselfEnd(_ kind: Kind) {
      let queue = kind.queue()
      let (gate, last) = (Operation(), TestOperation())
      last.addDependency(gate)
      let middle = BlockOperation { last.waitUntilFinished() }
      queue.addOperations([middle, last], waitUntilFinished: false)
      for _ in 0..<400 { queue.addOperation { middle.waitUntilFinished() } }
      queue.addOperation(gate)
      queue.expectQuiet()
      #expect(last.runCount == 1)
    }

    /// A chain through the queues of two schedulers, with a wait for the queue at each step.
    @Test(.contract(101, 103), arguments: Kind.pools)
    func chainOfQueueWaitsEnds(_ kind: Kind) {
      let schedulers = [kind.make(kind.workers), kind.make(kind.workers)]
      let reached = Atomic<Int>(0)
      @Sendable func descend(_ level: Int) {
        reached.add(1, ordering: .relaxed)
        guard level > 0 else { return }
        let queue = OperationQueue(scheduler: schedulers[level % 2])
        queue.addOperation { descend(level - 1) }
        queue.waitUntilAllOperationsAreFinished()
      }
      let queue = OperationQueue(scheduler: schedulers[0])
      queue.addOperation { descend(600) }
      queue.expectQuiet()
      #expect(reached.load(ordering: .relaxed) == 601)
    }

    /// No thread is allowed in place of a blocked one, and the stacks are small.
    @Test(.contract(101), arguments: [1, 2, 8])
    func workStealingGoesPastItsLimit(workers: Int) {
      var configuration = WorkStealingConfiguration()
      configuration.compensationLimit = 0
      configuration.stackSize = 512 << 10
      let scheduler = WorkStealingScheduler(workers: workers, configuration: configuration)
      let queue = OperationQueue(scheduler: scheduler)
      let chain = NestedWaits(in: queue)
      chain.begin(levels: 1_500)
      queue.expectQuiet()
      #expect(chain.count == 1_501)
    }

    /// Neither the stack nor the system has room for another: the message says what to raise.
    @Test(.contract(101)) func waitsThatNothingCanEndStopTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: Uncompensated(workers: 1))
          let chain = NestedWaits(in: queue) { next in
            next.name = "next"
            next.waitUntilFinished()
          }
          chain.begin(levels: 1_000_000)
          _ = queue.wait(timeout: patience)
        }
        misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      for part in [
        "next", "compensationLimit", "stackSize", "no thread is left", "underlyingQueue",
      ] {
        #expect(text.contains(part), "\(text)")
      }
    }

    /// The children of every node are operations, for each of which their parent waits.
    @Test(.contract(101), arguments: Kind.pools)
    func unbalancedTreeIsCountedByWaits(_ kind: Kind) {
      let tree = isDeep ? BinomialTree.t3 : BinomialTree.small
      let queue = kind.queue()
      #expect(tree.countByWaits(in: queue) == tree.size)
      queue.expectQuiet()
    }

    /// What a wait has run is let go of, though its worker never idles.
    @Test(.contract(130), arguments: Kind.all)
    func addingAndWaitingInALoopKeepsNothing(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      let most = Atomic<Int>(0)
      queue.addOperation {
        for _ in 0..<(200_000 / slowness) {
          let operation = TestOperation(lifetimes)
          queue.addOperation(operation)
          operation.waitUntilFinished()
          most.max(lifetimes.live, ordering: .relaxed)
        }
      }
      queue.expectQuiet()
      #expect(most.load(ordering: .relaxed) < 1_000)
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// As above, with a wait on another scheduler after every 63: each has its own count.
    @Test(.contract(130), arguments: Kind.all)
    func waitsOnAnotherSchedulerKeepNothing(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let (queue, inner) = (kind.queue(), OperationQueue(scheduler: InlineScheduler()))
      let most = Atomic<Int>(0)
      @Sendable func addAndWait(in queue: OperationQueue) {
        let operation = TestOperation(lifetimes)
        queue.addOperation(operation)
        operation.waitUntilFinished()
        most.max(lifetimes.live, ordering: .relaxed)
      }
      queue.addOperation {
        for _ in 0..<(2_000 / slowness) {
          for _ in 0..<63 { addAndWait(in: queue) }
          // Inside of a job of that scheduler, which else runs what it gets in place.
          inner.addOperation { addAndWait(in: inner) }
        }
      }
      queue.expectQuiet()
      #expect(most.load(ordering: .relaxed) < 1_000)
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// As above for batches, waited for in the order added and beside a thousand that stay queued.
    @Test(.contract(130), arguments: Kind.all)
    func waitingForBatchesKeepsNoMoreThanIsQueued(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      let most = Atomic<Int>(0)
      queue.addOperation {
        for _ in 0..<1_000 { queue.addOperation(Operation()) }
        for _ in 0..<(1_000 / slowness) {
          let batch = (0..<100).map { _ in TestOperation(lifetimes) }
          queue.addOperations(batch, waitUntilFinished: true)
          most.max(lifetimes.live, ordering: .relaxed)
        }
      }
      queue.expectQuiet()
      #expect(most.load(ordering: .relaxed) < 10_000)
      #expect(waitUntil { lifetimes.live == 0 })
    }
  }
}

/// Whether the long programs run whole: `BENCH_DEEP_WAITS=1`.
let isDeep = integerFromEnvironment("BENCH_DEEP_WAITS") == 1
private let deepFactor = isDeep ? 4 : 1

/// The binomial trees of UTS, the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006,
/// doi:10.1007/978-3-540-72521-3_18).
struct BinomialTree: Sendable {
  let rootChildren: Int
  let probability: Double
  let children: Int
  let seed: UInt32
  let size: Int

  /// The published tree T3.
  static let t3 = BinomialTree(
    rootChildren: 2_000, probability: 0.124875, children: 8, seed: 42, size: 4_112_897)
  /// As large as a test of seconds may be; its size was counted by a loop.
  static let small = BinomialTree(
    rootChildren: 60, probability: 0.124, children: 8, seed: 42, size: small0.countByLoop())
  private static let small0 = BinomialTree(
    rootChildren: 60, probability: 0.124, children: 8, seed: 42, size: 0)

  private typealias Node = InlineArray<5, UInt32>

  private var root: Node { SHA1.digest([0, 0, 0, 0, seed]) }

  private func childCount(of node: Node) -> Int {
    Double(node[4] & 0x7FFF_FFFF) / 2_147_483_648 < probability ? children : 0
  }

  private static func child(_ number: Int, of node: Node) -> Node {
    SHA1.digest([node[0], node[1], node[2], node[3], node[4], UInt32(number)])
  }

  private func countByLoop() -> Int {
    var nodes = (0..<rootChildren).map { Self.child($0, of: root) }
    var count = 1
    while let node = nodes.popLast() {
      count += 1
      for number in 0..<childCount(of: node) { nodes.append(Self.child(number, of: node)) }
    }
    return count
  }

  func countByWaits(in queue: OperationQueue) -> Int {
    let count = Atomic<Int>(0)
    @Sendable func visit(_ node: Node, _ children: Int) {
      count.add(1, ordering: .relaxed)
      var added: [Operation] = []
      for number in 0..<children {
        let operation = BlockOperation {
          let child = Self.child(number, of: node)
          visit(child, childCount(of: child))
        }
        added.append(operation)
        queue.addOperation(operation)
      }
      for operation in added { operation.waitUntilFinished() }
    }
    let first = BlockOperation { visit(root, rootChildren) }
    queue.addOperation(first)
    first.waitUntilFinished()
    return count.load(ordering: .relaxed)
  }
}

/// SHA-1 of a message that fits one block (FIPS 180-4).
private enum SHA1 {
  static func digest(_ words: [UInt32]) -> InlineArray<5, UInt32> {
    var schedule = InlineArray<80, UInt32>(repeating: 0)
    for index in words.indices { schedule[index] = words[index] }
    schedule[words.count] = 0x8000_0000
    schedule[15] = UInt32(32 * words.count)
    for index in 16..<80 {
      let word =
        schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16]
      schedule[index] = rotate(word, by: 1)
    }
    let initial: InlineArray<5, UInt32> = [
      0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
    ]
    var state = initial
    for index in 0..<80 {
      let (b, c, d) = (state[1], state[2], state[3])
      let (mix, constant): (UInt32, UInt32) =
        switch index / 20 {
        case 0: ((b & c) | (~b & d), 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(state[0], by: 5) &+ mix &+ state[4] &+ constant &+ schedule[index]
      state[4] = d
      state[3] = c
      state[2] = rotate(b, by: 30)
      state[1] = state[0]
      state[0] = next
    }
    for index in 0..<5 { state[index] &+= initial[index] }
    return state
  }

  private static func rotate(_ word: UInt32, by bits: UInt32) -> UInt32 {
    word << bits | word >> (32 - bits)
  }
}
