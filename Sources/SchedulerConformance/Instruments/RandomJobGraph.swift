// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// A random acyclic graph of jobs with pending counts, as an operation layer would keep them.
final class RandomJobGraph: Sendable {
  private final class Node: Sendable {
    let pending: Atomic<Int>
    let band: PriorityBand
    let parents: [Int]
    let runs = Atomic<Int>(0)
    // Written by the node's job, read by its children's: ordered by the pending counts and the
    // scheduler.
    nonisolated(unsafe) var isDone = false
    // Written before the roots are submitted.
    nonisolated(unsafe) var children: [Int] = []

    init(parents: [Int], band: PriorityBand) {
      self.parents = parents
      self.band = band
      pending = Atomic(parents.count)
    }
  }

  private let nodes: [Node]
  private let left: Atomic<Int>
  private let scheduler: any Scheduler
  private let token: LifetimeCounter.Token
  private let seed: UInt64

  init(seed: UInt64, scheduler: any Scheduler, lifetimes: LifetimeCounter) {
    var random = SeededGenerator(seed: seed)
    let count = 1 + random.index(below: 30)
    var nodes: [Node] = []
    for number in 0..<count {
      var parents = Set<Int>()
      if number > 0 {
        for _ in 0..<random.index(below: 4) { parents.insert(random.index(below: number)) }
      }
      let band = PriorityBand(rawValue: UInt8(random.index(below: 5))) ?? .normal
      nodes.append(Node(parents: parents.sorted(), band: band))
      for parent in parents { unsafe nodes[parent].children.append(number) }
    }
    self.nodes = nodes
    left = Atomic(count)
    self.scheduler = scheduler
    token = lifetimes.token()
    self.seed = seed
  }

  // acquire: pairs with the release of the last job.
  var isFinished: Bool { left.load(ordering: .acquiring) == 0 }

  func submitRoots() {
    var chain = JobChain()
    for number in nodes.indices where nodes[number].parents.isEmpty { chain.append(job(number)) }
    scheduler.submit(chain)
  }

  private func job(_ number: Int) -> Job {
    ClosureJob.make(band: nodes[number].band) { context in self.run(number, in: &context) }
  }

  private func run(_ number: Int, in context: inout WorkerContext) -> Job? {
    let node = nodes[number]
    if node.runs.add(1, ordering: .relaxed).oldValue != 0 {
      fatalError("seed \(seed): job \(number) ran twice")
    }
    for parent in node.parents where unsafe !nodes[parent].isDone {
      fatalError("seed \(seed): job \(number) started before its parent \(parent) had finished")
    }
    unsafe node.isDone = true
    var successor: Job?
    for child in unsafe node.children {
      // acquire and release: the job that gets zero sees what every parent wrote.
      guard nodes[child].pending.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else {
        continue
      }
      // By turns: as the successor, through the ready chain, by a submit of its own.
      switch (seed &+ UInt64(child)) % 3 {
      case 0 where successor == nil: successor = job(child)
      case 1: scheduler.submit(JobChain(job(child)))
      default: context.ready.append(job(child))
      }
    }
    // release: pairs with the acquire in `isFinished`.
    left.subtract(1, ordering: .releasing)
    return successor
  }
}
