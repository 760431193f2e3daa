// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// The order of a queue that starts its operations strictly as they were added: holds back the
/// ready ones behind one that is not.
///
/// A member's place is its ticket. Every ticket comes once, with a handle or because its member
/// needs no turn; a second handle to what has passed is let through.
final class StrictOrder: Sendable {
  private struct Line: Sendable {
    /// The ticket whose turn it is.
    var turn: UInt64 = 0
    /// What has come before its turn: handles, or none of a member that will not need its turn.
    var early: [UInt64: StoredChain] = [:]
  }
  private let line = Locked(Line())

  /// Takes ready jobs, and passes those whose turn has come to `append`, in order and in one band.
  ///
  /// Under the lock: of two threads that release jobs one may not pass the other on the way to the
  /// ready list.
  func accept(_ jobs: consuming JobChain, _ append: (consuming JobChain) -> Void) {
    var jobs = jobs
    line.withLock { line in
      var due = JobChain()
      while let job = jobs.popFirst() {
        let (ticket, job) = (Operation.ticket(behind: job), job.moved(to: .normal))
        if ticket < line.turn {
          due.append(job)
        } else {
          line.early[ticket, default: StoredChain(JobChain())].withChain { $0.append(job) }
        }
      }
      while let next = line.early.removeValue(forKey: line.turn) {
        // SAFETY: it has just left the line.
        due.append(unsafe next.take())
        line.turn += 1
      }
      if !due.isEmpty { append(due) }
    }
  }

  /// A member will leave without waiting for its turn; the next `accept` passes it over.
  func passOver(_ ticket: UInt64) {
    line.withLock { line in
      if ticket >= line.turn, line.early[ticket] == nil {
        line.early[ticket] = StoredChain(JobChain())
      }
    }
  }

  /// The ticket whose turn it is, and those of the ready members that wait for theirs.
  func held() -> (turn: UInt64, behind: Set<UInt64>) {
    line.withLock { line in
      (line.turn, Set(line.early.lazy.filter { !$0.value.isEmpty }.map(\.key)))
    }
  }
}

extension OperationQueue {
  /// In a queue with strict order: the member at the head, and the ready ones that it holds back,
  /// by their `memberWord`; nil where it holds nobody back.
  ///
  /// O(members).
  package final var heldByOrder: (head: UInt, behind: Set<UInt>)? {
    guard let held = order?.held(), !held.behind.isEmpty else { return nil }
    var head: UInt = 0
    var behind: Set<UInt> = []
    for (ticket, word) in registry.ticketsAndWords() {
      if ticket == held.turn { head = word }
      if held.behind.contains(ticket) { behind.insert(word) }
    }
    return (head, behind)
  }
}

extension Operation {
  /// What stands for the operation among the members of its queue: of a façade its cell.
  package final var memberWord: UInt {
    guard hasColdTable, let node = withColdTable({ $0.closureNode }), node != 0 else { return word }
    return node
  }

  /// The ticket of the member behind a handle that the caller holds.
  static func ticket(behind job: Job) -> UInt64 {
    let word = word(behind: job)
    guard word != 0 else {
      // SAFETY: the job is a cell's, which is never freed. relaxed: written before the hand-over.
      let slot = unsafe ClosureNode.cell(of: job).pointee.membership.load(ordering: .relaxed)
      return RegistryChunk.ticket(ofSlot: slot)
    }
    // SAFETY: the handle keeps the operation. relaxed: written before the hand-over.
    return unsafe reference(word)._withUnsafeGuaranteedRef {
      RegistryChunk.ticket(ofSlot: $0.membership.load(ordering: .relaxed))
    }
  }
}
