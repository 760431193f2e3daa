// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WorkStealingBackend

/// The transitions of the two packed words, over all small values.
@Suite struct IdleCountsTests {
  private static let all = (0..<4).flatMap { sleepers in
    (0..<4).flatMap { searching in
      [false, true].map { isStopping in
        IdleCounts(
          word: UInt64(sleepers) | UInt64(searching) << 16 | (isStopping ? 1 << 32 : 0))
      }
    }
  }

  @Test func everyTransitionMovesExactlyOneWorker() {
    for counts in Self.all {
      let total = counts.sleepers + counts.searching
      let entered = counts.entering(limit: 2)
      #expect(entered.sleepers + entered.searching == total + 1)
      #expect((entered.searching > counts.searching) == (counts.searching < 2 || counts.isStopping))
      if counts.searching > 0 {
        #expect(counts.endingSearch.searching == counts.searching - 1)
        #expect(counts.givingUp.searching == counts.searching - 1)
        #expect(counts.givingUp.sleepers == counts.sleepers + (counts.isStopping ? 0 : 1))
      }
      if counts.sleepers > 0 {
        #expect(counts.wakingOne.sleepers == counts.sleepers - 1)
        #expect(counts.wakingOne.searching == counts.searching + 1)
      }
      #expect(counts.startingSearch.isStopping == counts.isStopping)
    }
  }

  @Test func stoppingTurnsEverySleeperIntoASearcher() {
    for counts in Self.all {
      #expect(counts.stopping.sleepers == 0)
      #expect(counts.stopping.searching == counts.sleepers + counts.searching)
      #expect(counts.stopping.isStopping)
    }
  }

  @Test func aWakeIsNeededExactlyWhenSomebodySleepsAndNobodySearches() {
    for counts in Self.all {
      #expect(counts.needsWake == (counts.sleepers > 0 && counts.searching == 0))
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
}
