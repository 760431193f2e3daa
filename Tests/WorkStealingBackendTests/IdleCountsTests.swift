// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Testing

@testable import WorkStealingBackend

/// The transitions of the two packed words, over all small values.
@Suite struct IdleCountsTests {
  private static let all: [IdleCounts] = {
    var all: [IdleCounts] = []
    for sleepers in 0..<4 {
      for searching in 0..<4 {
        for running in 0..<2 {
          for bits in 0..<8 {
            var counts = IdleCounts.initial(workers: sleepers + searching + running)
            for _ in 0..<sleepers { counts = counts.entering(limit: 0) }
            for _ in 0..<searching { counts = counts.startingSearch }
            if bits & 4 != 0 { counts = counts.becomingShort }
            // Somebody is awake, so nobody is woken.
            if bits & 1 != 0 { counts = counts.arriving.stopping.departing }
            all.append(counts)
            if counts.isLastOne { all.append(counts.givingUp) }
          }
        }
      }
    }
    return all
  }()

  @Test func everyTransitionMovesExactlyOneWorker() {
    for counts in Self.all {
      let entered = counts.entering(limit: 2)
      #expect(entered.sleepers + entered.searching == counts.sleepers + counts.searching + 1)
      #expect((entered.searching > counts.searching) == (counts.searching < 2))
      if counts.searching > 0 {
        #expect(counts.endingSearch.searching == counts.searching - 1)
      }
      if counts.searching > 0, !counts.isLastOne {
        #expect(counts.givingUp.searching == counts.searching - 1)
        #expect(counts.givingUp.sleepers == counts.sleepers + 1)
        #expect(counts.retiring.searching == counts.searching - 1)
        #expect(counts.retiring.present == counts.present - 1)
      }
      if counts.sleepers > 0 {
        #expect(counts.wakingOne.sleepers == counts.sleepers - 1)
        #expect(counts.wakingOne.searching == counts.searching + 1)
      }
      #expect(counts.arriving.present == counts.present + 1)
      #expect(counts.arriving.departing == counts)
      for next in [entered, counts.startingSearch, counts.arriving] {
        #expect(next.isStopping == counts.isStopping && !next.isOver)
      }
    }
  }

  @Test func aStoppingPoolKeepsAnybodyAwake() {
    for counts in Self.all where counts.present > 0 {
      let stopped = counts.stopping
      #expect(stopped.isStopping && stopped.present == counts.present)
      #expect(stopped.sleepers < stopped.present)
      #expect(counts.isAsleep || stopped.searching == counts.searching)
    }
  }

  @Test func theLastSearcherOfAStoppingPoolStaysUntilItEndsThePool() {
    for counts in Self.all where counts.isLastOne {
      #expect(counts.isStopping && counts.sleepers + counts.searching == counts.present)
      #expect(counts.retiring == counts)
      let closing = counts.givingUp
      #expect(closing.isClosing && closing.searching == 1 && closing.sleepers == counts.sleepers)
      #expect(!closing.startingSearch.isClosing)
      #expect(counts.sleepers == 0 || !closing.wakingOne.isClosing)
      let over = closing.ending
      #expect(over.isOver && over.sleepers == 0 && over.searching == 0 && !over.needsWake)
    }
    #expect(Self.all.contains { $0.isLastOne })
  }

  /// While its thread was asked for, the last worker has taken others to be present and fallen
  /// asleep.
  @Test(arguments: 1...3) func aRefusedThreadLeavesAStoppingPoolToSomebody(_ workers: Int) {
    for isStopping in [false, true] {
      var counts = IdleCounts.initial(workers: workers).arriving
      if isStopping { counts = counts.stopping }
      for _ in 0..<workers { counts = counts.startingSearch.givingUp }
      #expect(counts.sleepers == workers && counts.searching == 0 && !counts.isClosing)
      let left = counts.failing
      #expect(left.present == workers)
      #expect(left.isLastOne == isStopping)
      #expect(left.sleepers == (isStopping ? workers - 1 : workers))
    }
    for counts in Self.all where !counts.isStopping {
      #expect(counts.arriving.failing == counts)
    }
  }

  /// Also where activations are counted before the retirements that make room for them.
  @Test func theFieldsHoldMoreWorkersThanASchedulerMayHave() {
    for factor in [1, 2, 4] {
      let many = factor * WorkerCount.limit
      let all = IdleCounts.initial(workers: many)
      #expect(all.present == many && all.sleepers == 0 && !all.isStopping && !all.isShort)
      var asleep = all
      for _ in 0..<many { asleep = asleep.entering(limit: 0) }
      #expect(asleep.sleepers == many && asleep.searching == 0 && !asleep.isShort)
      #expect(asleep.isAsleep && asleep.present == many)
      var searching = all
      for _ in 0..<many { searching = searching.startingSearch }
      #expect(searching.searching == many && searching.present == many && searching.sleepers == 0)
    }
  }

  @Test func aWakeIsNeededExactlyWhenNobodySearchesAndSomebodySleepsOrNoneIsLeft() {
    for counts in Self.all {
      let isWanted = counts.sleepers > 0 || counts.isShort
      #expect(counts.needsWake == (isWanted && counts.searching == 0))
    }
  }

  @Test func aShortageChangesNoNumber() {
    for counts in Self.all {
      let short = counts.becomingShort
      #expect(short.isShort && short.sleepers == counts.sleepers)
      #expect(short.searching == counts.searching && short.present == counts.present)
      #expect(short.isLastOne == counts.isLastOne && short.isAsleep == counts.isAsleep)
      #expect(short.endingShortage == counts.endingShortage && !counts.endingShortage.isShort)
      #expect(short.becomingShort == short)
    }
  }

  @Test func compensationAddsAThreadOnlyWhenNoneIsToSpare() {
    var counts = Compensation(word: 0)
    counts = counts.blocking(limit: 2)
    #expect(counts.blocked == 1 && counts.active == 1)
    counts = counts.unblocking
    #expect(counts.hasSurplus)
    counts = counts.blocking(limit: 2)
    #expect(counts.blocked == 1 && counts.active == 1 && !counts.hasSurplus)
    counts = counts.blocking(limit: 2).blocking(limit: 2)
    #expect(counts.blocked == 3 && counts.active == 2)
    counts = counts.unblocking.unblocking
    #expect(counts.hasSurplus)
    #expect(!counts.retiring.hasSurplus)
    #expect(counts.retiring.returning == counts)
  }

  /// Past the limit a thread is added for the last that is left, and for no other.
  @Test func theLastThreadIsReplacedWhateverTheLimit() {
    var counts = Compensation(word: 0)
    for blocked in 1...9 {
      counts = counts.blocking(limit: 2)
      let left = 2 + counts.active - counts.blocked
      #expect(counts.replacingLast(workers: 2) == (left > 0 ? counts : counts.returning))
      counts = counts.replacingLast(workers: 2)
      #expect(counts.active == max(min(blocked, 2), blocked - 1) && !counts.hasSurplus)
    }
    #expect(counts.unblocking.unblocking.hasSurplus)
    #expect(counts.replacingLast(workers: 2, limit: counts.active) == counts)
  }

  /// The answer to a shortage stays within the limit.
  @Test func theLastThreadIsReplacedWithinALimit() {
    let blocked = Compensation(word: 0).blocking(limit: 0)
    #expect(blocked.blocked == 1 && blocked.active == 0)
    #expect(blocked.replacingLast(workers: 1, limit: 0) == blocked)
    #expect(blocked.replacingLast(workers: 1, limit: 1).active == 1)
    #expect(blocked.replacingLast(workers: 2, limit: 1) == blocked)
  }
}
