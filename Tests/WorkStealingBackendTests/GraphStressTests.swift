// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

/// Thousands of random graphs of jobs: each starts after all its parents, exactly once, and all
/// finish.
@Suite struct GraphStressTests {
  @Test(arguments: [1, 2, 8])
  func randomGraphsRunEveryJobOnceAfterItsParents(workers: Int) {
    let scheduler = WorkStealingScheduler(workers: workers)
    for seed in 1...StressSize.graphs {
      let graph = RandomGraph(seed: UInt64(seed), scheduler: scheduler)
      graph.run()
      let isDone = waitUntil { graph.finished == graph.count }
      #expect(isDone, "seed \(seed), \(graph.finished) of \(graph.count) jobs ran")
      #expect(graph.faults == 0, "seed \(seed): a job started before a parent, or twice")
      guard isDone else { return }
    }
    scheduler.shutDown()
  }

  @Test(arguments: [1, 2, 8])
  func graphsOnShortLivedPoolsFinishAlthoughThePoolIsDropped(workers: Int) {
    for seed in 1...StressSize.pools {
      var scheduler: WorkStealingScheduler? = WorkStealingScheduler(workers: workers)
      guard let pool = scheduler else { return }
      let graph = RandomGraph(seed: UInt64(seed), scheduler: pool, staysInside: true)
      graph.run()
      scheduler = nil
      let isDone = waitUntil { graph.finished == graph.count }
      #expect(isDone, "seed \(seed), \(graph.finished) of \(graph.count) jobs ran")
      guard isDone else { return }
    }
  }

  @Test(arguments: [1, 2, 8])
  func shutDownLetsQueuedJobsFinish(workers: Int) {
    for seed in 1...StressSize.pools {
      let scheduler = WorkStealingScheduler(workers: workers)
      let graph = RandomGraph(seed: UInt64(seed), scheduler: scheduler, staysInside: true)
      graph.run()
      scheduler.shutDown()
      #expect(graph.finished == graph.count, "seed \(seed)")
      scheduler.shutDown()
    }
  }
}

/// Sizes of the stress runs; smaller where a sanitizer makes every step cost twenty times as much.
enum StressSize {
  static let isSanitized = Sanitizer.active == .thread
  static let graphs = isSanitized ? 300 : 3_000
  static let pools = isSanitized ? 40 : 300
  static let rounds = isSanitized ? 5_000 : 100_000
}

/// A seeded graph of jobs, edges from lower to higher numbers, run by counting down unfinished
/// parents.
///
/// Jobs leave what they make ready by every way there is: as the immediate successor, in the ready
/// chain, or by a nested submission. Bands are random.
final class RandomGraph: Sendable {
  private final class Node: Sendable {
    let pending: Atomic<Int>
    let runs = Atomic<Int>(0)
    let band: PriorityBand
    let children: [Int]
    let parents: [Int]
    let route: Int

    init(parents: [Int], children: [Int], band: PriorityBand, route: Int) {
      pending = Atomic(parents.count)
      self.parents = parents
      self.children = children
      self.band = band
      self.route = route
    }
  }

  private let nodes: [Node]
  private let scheduler: WeakScheduler
  private let finishedCount = Atomic<Int>(0)
  private let faultCount = Atomic<Int>(0)

  var count: Int { nodes.count }
  // acquiring: pairs with the release in finish().
  var finished: Int { finishedCount.load(ordering: .acquiring) }
  var faults: Int { faultCount.load(ordering: .relaxed) }

  /// With `staysInside` no job submits by itself, so the graph does not keep the scheduler alive.
  init(seed: UInt64, scheduler: WorkStealingScheduler, staysInside: Bool = false) {
    var random = SeededGenerator(seed: seed)
    let count = 1 + random.index(below: 60)
    var children = [[Int]](repeating: [], count: count)
    var parents = [[Int]](repeating: [], count: count)
    for node in 1..<max(count, 2) where node < count {
      for _ in 0..<random.index(below: 4) {
        let parent = random.index(below: node)
        guard !parents[node].contains(parent) else { continue }
        parents[node].append(parent)
        children[parent].append(node)
      }
    }
    let isMixed = random.index(below: 2) == 0
    nodes = (0..<count).map { node in
      let band = PriorityBand(rawValue: UInt8(random.index(below: 5))) ?? .normal
      return Node(
        parents: parents[node], children: children[node], band: isMixed ? band : .normal,
        route: random.index(below: staysInside ? 2 : 3))
    }
    self.scheduler = WeakScheduler(scheduler)
  }

  /// Submits the roots, some in one chain and some alone.
  func run() {
    guard let scheduler = scheduler.object else { return }
    var chain = JobChain()
    for (number, node) in nodes.enumerated() where node.parents.isEmpty {
      if node.route == 0 {
        scheduler.submit(JobChain(job(number)))
      } else {
        chain.append(job(number))
      }
    }
    scheduler.submit(chain)
  }

  private func job(_ number: Int) -> Job {
    ClosureJob.make(band: nodes[number].band) { context in self.start(number, &context) }
  }

  private func start(_ number: Int, _ context: inout WorkerContext) -> Job? {
    let node = nodes[number]
    if node.runs.add(1, ordering: .relaxed).newValue != 1 { faultCount.add(1, ordering: .relaxed) }
    for parent in node.parents where nodes[parent].runs.load(ordering: .relaxed) != 1 {
      faultCount.add(1, ordering: .relaxed)
    }
    var successor: Job?
    for child in node.children
    // acquiring and releasing: every parent's finish precedes the child's start.
    where nodes[child].pending.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      let ready = job(child)
      switch nodes[child].route {
      case 0 where successor == nil: successor = ready
      case 2:
        if let scheduler = scheduler.object { scheduler.submit(JobChain(ready)) }
      default: context.ready.append(ready)
      }
    }
    finishedCount.add(1, ordering: .releasing)
    return successor
  }
}

/// Refers to a scheduler without keeping it alive.
private final class WeakScheduler: Sendable {
  weak let object: WorkStealingScheduler?
  init(_ object: WorkStealingScheduler) { self.object = object }
}
