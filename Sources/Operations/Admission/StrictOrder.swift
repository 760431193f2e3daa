// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling

/// The order of a queue that starts its operations strictly as they were added: holds back the
/// ready ones behind one that is not.
///
/// Members by address, closures by their cell. What has passed is not in the list any more, so a
/// second handle to it is let through.
final class StrictOrder: Sendable {
  private struct Place: Sendable {
    let member: UInt
    /// Its handles, once it is ready.
    var jobs = JobChain()
    /// It will need no place.
    var isPassedOver = false
  }
  private struct Line: Sendable {
    var places: [Place] = []
    var head = 0
    /// Number of the first place.
    var base = 0
    /// Numbers of places by member.
    var numbers: [UInt: Int] = [:]
  }
  private let line = Locked(Line())

  /// Adds members at the end, in order.
  func add(_ members: [UInt]) {
    line.withLock { line in
      for member in members {
        line.numbers[member] = line.base + line.places.count
        line.places.append(Place(member: member))
      }
    }
  }

  /// Takes ready jobs, and passes those whose turn has come to `append`, in order and in one band.
  ///
  /// Under the lock: of two threads that release jobs one may not pass the other on the way to the
  /// ready list.
  func accept(_ jobs: consuming JobChain, _ append: (JobChain) -> Void) {
    var jobs = jobs
    line.withLock { line in
      var due = JobChain()
      while let job = jobs.popFirst() {
        let job = job.moved(to: .normal)
        if let number = line.numbers[Operation.member(behind: job)] {
          line.places[number - line.base].jobs.append(job)
        } else {
          due.append(job)
        }
      }
      Self.advance(&line, &due)
      if !due.isEmpty { append(due) }
    }
  }

  /// A member will leave without waiting for its turn; the next `accept` passes it over.
  func passOver(_ member: UInt) {
    line.withLock { line in
      guard let number = line.numbers[member] else { return }
      line.places[number - line.base].isPassedOver = true
    }
  }

  /// The member at the head, and the ready ones that it holds back.
  func held() -> (head: UInt, behind: Set<UInt>)? {
    line.withLock { line in
      guard line.head < line.places.count else { return nil }
      let behind = line.places[(line.head + 1)...].lazy.filter { !$0.jobs.isEmpty }.map(\.member)
      return (line.places[line.head].member, Set(behind))
    }
  }

  private static func advance(_ line: inout Line, _ due: inout JobChain) {
    while line.head < line.places.count {
      let place = line.places[line.head]
      guard place.isPassedOver || !place.jobs.isEmpty else { break }
      due.append(place.jobs)
      // A member that was passed over may be gone, and its address another member's.
      if line.numbers[place.member] == line.base + line.head { line.numbers[place.member] = nil }
      line.head += 1
    }
    guard line.head > 64, 2 * line.head > line.places.count else { return }
    line.places.removeFirst(line.head)
    line.base += line.head
    line.head = 0
  }
}

extension Operation {
  /// What stands for the operation among the members of its queue: a façade has the place of its
  /// cell.
  package final var memberWord: UInt {
    guard hasColdTable, let node = withColdTable({ $0.closureNode }), node != 0 else { return word }
    return node
  }

  /// As `memberWord` of the operation behind a handle that the caller holds.
  static func member(behind job: Job) -> UInt {
    if ClosureNode.isCell(job) {
      return unsafe UInt(bitPattern: job.header) - UInt(ClosureNode.headerOffset)
    }
    // SAFETY: the handle keeps the operation.
    return unsafe reference(word(behind: job))._withUnsafeGuaranteedRef(\.memberWord)
  }
}
