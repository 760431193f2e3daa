// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// The order of submission when many billions come and go while a few wait.
  @Suite(.contract(117)) struct TicketTests {
    /// 1.5 · 2^30 additions and departures, by the queue's own count.
    private func letOthersComeAndGo(_ queue: OperationQueue) {
      let most = MemberCount.limit - 1_000
      for _ in 0..<24 {
        _ = queue.addMembers(most)
        queue.subtract(most)
      }
    }

    @Test(arguments: Kind.each) func membersAreListedInTheOrderOfSubmission(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let told = Locked<[Operation]>([])
      let observation = queue.observe(\.operations) { _, change in
        told.withLock { $0 = change.newValue }
      }
      var expected: [Operation] = []
      // More than 2^33 in all, so that the low half of the tickets wraps twice.
      for round in 0..<7 {
        let operations = (0..<3).map { _ in Operation() }
        queue.addOperations(operations, waitUntilFinished: false)
        expected += operations
        #expect(queue.operations == expected, "round \(round)")
        #expect(told.withLock { $0 } == expected, "round \(round)")
        letOthersComeAndGo(queue)
      }
      observation.invalidate()
      queue.isSuspended = false
      queue.expectQuiet()
    }

    /// What comes back from the scheduler stands in the order of submission, too.
    @Test(.contract(86), arguments: Kind.single) func returnedJobsKeepTheirOrder(_ kind: Kind) {
      let queue = kind.queue()
      let (begun, gate, log) = (Gate(), Gate(), Log())
      queue.addOperation {
        begun.open()
        gate.wait()
      }
      begun.wait()
      for round in 0..<4 {
        queue.addOperation(BlockOperation { log.note(round) })
        letOthersComeAndGo(queue)
      }
      queue.isSuspended = true
      gate.open()
      // The worker brings them back.
      #expect(
        waitUntil(deadline: patience) {
          PolicyWord.ready(queue.policy.load(ordering: .acquiring)) == 4
        })
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [0, 1, 2, 3])
    }

    /// The number of halves is read a moment before or after the word.
    @Test func aTicketNextToABoundaryIsRight() {
      let (half, whole) = (UInt64(1) << 31, UInt64(1) << 32)
      for boundary in [half, whole, whole + half, 2 * whole] {
        let halves = boundary / half
        for distance: UInt64 in [0, 1, 1000] {
          let after = boundary + distance
          let before = boundary - distance - 1
          func ticket(_ ticket: UInt64, _ halves: UInt64) -> UInt64 {
            MemberCount.ticket(ticket << MemberCount.ticketShift | 7, halves: halves)
          }
          #expect(ticket(after, halves) == after && ticket(before, halves - 1) == before)
          #expect(ticket(after, halves - 1) == after, "not raised yet")
          #expect(ticket(before, halves) == before, "raised since")
        }
      }
    }
  }
}
