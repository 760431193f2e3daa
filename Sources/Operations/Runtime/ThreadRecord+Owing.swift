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

  /// Keeps jobs that come last until `start()` of the operation has returned: until then it has its
  /// slot, and what runs inside of this call may wait for that.
  func oweAfterStart(of operation: Operation, _ jobs: JobChain) {
    if !jobs.isEmpty { owedByStarts.append((operation.word, jobs)) }
  }

  /// Takes what no wait has handed over.
  func takeOwedAfterStart(of operation: Operation) -> JobChain {
    let place = owedByStarts.lastIndex { $0.operation == operation.word }
    return place.map { owedByStarts.remove(at: $0).jobs } ?? JobChain()
  }

  /// Hands over what this thread owes until `awaited` is over or the time is up; returns whether it
  /// is over.
  ///
  /// No other thread would run it before the wait has ended. What is waited for comes first, since
  /// the rest may wait for what encloses the wait. O(jobs owed).
  func handOverOwed(for awaited: Awaited, until deadline: UInt64?) -> Bool {
    guard !owed.isEmpty || !owedByStarts.isEmpty else { return awaited.isOver() }
    return help(until: deadline, awaited.isOver) {
      guard let jobs = takeOwed(awaited.target.operation) else { return false }
      Released.handOver(last: jobs)
      return true
    }
  }

  /// Takes the handle of the operation, else all that the innermost finish owes; nil when nothing is
  /// owed.
  private func takeOwed(_ operation: Operation?) -> JobChain? {
    if let operation {
      for place in owed.indices {
        if let handle = owed[place].popHandle(of: operation) { return JobChain(handle) }
      }
      for place in owedByStarts.indices {
        let handle = owedByStarts[place].jobs.popHandle(of: operation)
        if let handle { return JobChain(handle) }
      }
    }
    if let place = owed.lastIndex(where: { !$0.isEmpty }) { return owed[place].take() }
    let place = owedByStarts.lastIndex { !$0.jobs.isEmpty }
    return place.map { owedByStarts[$0].jobs.take() }
  }
}

extension JobChain {
  /// Takes a handle of the operation out.
  fileprivate mutating func popHandle(of operation: Operation) -> Job? {
    popFirst { Drain.queue(of: $0) == nil && Operation.word(behind: $0) == operation.word }
  }
}
