// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct LatencyBreakdownTests {
  @Test func phasesFollowEachOtherPerPriorityAndKind() {
    var hand = HandTrace(workers: 1)
    hand.trace.names = ["", "A", "B"]
    let first = hand.run(on: 0, from: 12, to: 22, added: 0, ready: 10) {
      $0.kind = 1
      $0.priority = 4
    }
    hand.run(on: 0, from: 30, to: 100, added: 2, ready: 25, after: [first]) {
      $0.kind = 2
      $0.returned = 50
    }
    let latency = TraceReport(hand.sorted).latency
    #expect(latency.all.dependencyWait.totalNanoseconds == 10 + 23)
    #expect(latency.all.readyWait.totalNanoseconds == 2 + 5)
    #expect(latency.all.run.totalNanoseconds == 10 + 20)
    #expect(latency.all.suspended.count == 1)
    #expect(latency.all.suspended.maximum == 50)
    #expect(latency.all[.readyWait].p50 == 2)
    #expect(latency.all.readyWait.p99 == nil)
    #expect(latency.byPriority.map(\.priority) == [4, 0])
    #expect(latency.byKind.map(\.kind) == [2, 1])
    #expect(latency.byKind[1].group.run.maximum == 10)
  }

  @Test func negativeIntervalsAreCountedNotClipped() {
    var hand = HandTrace(workers: 1)
    hand.run(on: 0, from: 10, to: 20, ready: 13)
    let wait = TraceReport(hand.sorted).latency.all.readyWait
    #expect(wait.negativeCount == 1)
    #expect(wait.totalNanoseconds == -3)
  }
}
