// SPDX-License-Identifier: Apache-2.0

import Scheduling

// A finish hands over last what runs inside of that call. What it still has to do before may be
// the user's code, and wait: then the wait hands those jobs over. Page: Waiting.md.

extension ThreadRecord {
  /// Runs `body`, which may wait for what these jobs run; returns those that no wait has handed
  /// over.
  func owing(_ jobs: JobChain, _ body: () -> Void) -> JobChain {
    guard !jobs.isEmpty else {
      body()
      return jobs
    }
    owed.append(jobs)
    body()
    return owed.removeLast()
  }

  /// Whether no finish under way here has anything to hand over last.
  var owesNothing: Bool { owed.allSatisfy(\.isEmpty) }

  /// Hands over what this thread owes and `awaited` cannot end without, until it is over or the
  /// time is up; returns whether it is over.
  ///
  /// No other thread would run it before the wait has ended. The rest may wait in turn for what
  /// encloses this wait, so it stays last. O(jobs owed, operations and edges in the way).
  func handOverOwed(for awaited: Awaited, until deadline: UInt64?) -> Bool {
    guard !owesNothing else { return awaited.isOver() }
    return help(until: deadline, awaited.isOver) {
      guard let job = takeOwed(for: awaited.target) else { return false }
      Released.handOver(last: JobChain(job))
      return true
    }
  }

  /// Takes the handle of an operation, or the drain of a queue, that is in the way of the target.
  private func takeOwed(for target: BlockedWait.Target) -> Job? {
    if let operation = target.operation, let handle = takeOwedHandle(of: operation) {
      return handle
    }
    let waits = Self.blockedWaits()
    var targets = [target]
    // What executes may wait in turn.
    var seen: Set<UInt> = []
    while let target = targets.popLast() {
      if case .half(let frame) = target {
        let taker = ForkFrame.taker(ofFrameAt: frame)
        targets += waits.filter { $0.thread == taker && seen.insert($0.thread).inserted }
          .map(\.target)
        continue
      }
      var found: Job?
      _ = Operation.findInWay(of: target.operationsInWay) { operation, facts in
        found = takeOwedHandle(of: operation) ?? facts.queue.flatMap { takeOwedDrain(of: $0) }
        for wait in waits where facts.words.contains(where: wait.waiters.contains) {
          if wait.thread != address, seen.insert(wait.thread).inserted {
            targets.append(wait.target)
          }
        }
        return found != nil
      }
      if let found { return found }
    }
    return nil
  }

  private func takeOwedHandle(of operation: Operation) -> Job? {
    takeOwed { Drain.queue(of: $0) == nil && Operation.word(behind: $0) == operation.word }
  }

  private func takeOwedDrain(of queue: OperationQueue) -> Job? {
    takeOwed { Drain.queue(of: $0) == queue.word }
  }

  private func takeOwed(where accepts: (Job) -> Bool) -> Job? {
    for place in owed.indices {
      if let job = owed[place].popFirst(where: accepts) { return job }
    }
    return nil
  }
}
