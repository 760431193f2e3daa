// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import TestSupport
import Testing

@testable import Operations

/// The state word as a value: no threads.
@Suite struct StateChangeTests {
  /// Every change, with the bits that it may change.
  static let all: [(name: String, make: @Sendable (UInt32) -> UInt32, mask: UInt32)] = [
    ("begin", StateChange.begin, StateBit.started | StateBit.skipped),
    ("requestFinish", StateChange.requestFinish, StateBit.finishRequested),
    ("cancel", StateChange.cancel, StateBit.cancelled),
    ("enterMain", StateChange.enterMain, StateBit.mainRan),
    ("detach", StateChange.detach, StateBit.detached),
    ("takeOver", StateChange.takeOver, StateBit.sealedByFinish),
    ("register", StateChange.register, StateBit.registered | StateBit.hold),
    ("recall", StateChange.recall, StateBit.hold),
    ("park", StateChange.park, StateBit.registered),
    ("spillEdges", StateChange.spillEdges, StateBit.edgesInCold),
    ("addHandle", StateChange.addHandle, StateBit.severalHandles),
    ("move", StateChange.move, StateBit.severalHandles | StateBit.moved),
    ("giveExtras", StateChange.giveExtras, StateBit.hasExtras),
    ("needColdStart", StateChange.needColdStart, StateBit.coldStart),
    ("needResources", StateChange.needResources, StateBit.needsResources),
    ("endItself", StateChange.endItself, StateBit.endsItself),
    ("setLevel", { StateChange.setLevel($0, StateBit.normalBand) }, StateBit.bandMask),
    (
      "setQuality", { StateChange.setQuality($0, 3 << StateBit.qualityShift) },
      StateBit.qualityMask | StateBit.hasExtras
    ),
    ("setCompletion", { StateChange.setCompletion($0, true) }, StateBit.hasCompletion),
    ("dropCompletion", { StateChange.setCompletion($0, false) }, StateBit.hasCompletion),
    ("keep", { StateChange.retainDependencies($0, true) }, StateBit.retainsDependencies),
    ("drop", { StateChange.retainDependencies($0, false) }, StateBit.retainsDependencies),
    (
      "cancelDependents", { StateChange.cancelDependents($0, true) },
      StateBit.cancelsDependents | StateBit.hasExtras
    ),
    ("spareDependents", { StateChange.cancelDependents($0, false) }, StateBit.cancelsDependents),
  ]

  /// Words to try: none, all, each bit alone, each bit missing, and random ones.
  static var words: [UInt32] {
    var random = SeededGenerator(seed: stressSeed)
    let bits = (0..<32).map { UInt32(1) << UInt32($0) }
    let others = (0..<1_000).map { _ in UInt32(truncatingIfNeeded: random.next()) }
    return [0, .max] + bits + bits.map(~) + others
  }

  /// Made twice it changes nothing more, and what is marked as never cleared stays.
  @Test func changesTouchTheirOwnBitsAndNothingElse() {
    let lasting =
      StateBit.started | StateBit.cancelled | StateBit.finishRequested | StateBit.hasExtras
      | StateBit.lock
    for (name, make, mask) in Self.all {
      for word in Self.words {
        let made = make(word)
        #expect((made ^ word) & ~mask == 0, "\(name) of \(word)")
        #expect(make(made) == made, "\(name) twice of \(word)")
        #expect(made & word & lasting == word & lasting, "\(name) of \(word)")
      }
    }
  }

  /// What was cancelled or finished before begins as skipped, and nothing else does (contract 44,
  /// 66).
  @Test(.contract(44, 66)) func whatIsToBeSkippedBeginsAsSkipped() {
    for word in Self.words where word & StateBit.skipped == 0 {
      let begun = StateChange.begin(word)
      #expect(begun & StateBit.started != 0)
      let isToBeSkipped = word & (StateBit.cancelled | StateBit.finishRequested) != 0
      #expect((begun & StateBit.skipped != 0) == isToBeSkipped)
      #expect(Operation.hasBegun(begun) == !isToBeSkipped)
    }
  }

  /// A registered operation has no edge that must be looked for; one more edge makes it so.
  @Test func registrationAnswersTheRecall() {
    for word in Self.words {
      #expect(StateChange.register(StateChange.recall(word)) & StateBit.hold == 0)
    }
    for used in 0..<UInt32(OperationLayout.inlineDependencies) {
      let word = StateChange.addInlineEdge(used << StateBit.dependencyCountShift)
      #expect(Operation.inlineCount(word) == Int(used) + 1)
      #expect(word & StateBit.hold != 0)
    }
  }
}
