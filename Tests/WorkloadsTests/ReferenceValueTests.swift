// SPDX-License-Identifier: Apache-2.0

import Harness
import Testing
import Workloads

@Suite struct ReferenceValueTests {
  @Test(arguments: [(0, UInt64(0)), (1, 1), (2, 1), (10, 55), (30, 832_040), (45, 1_134_903_170)])
  func fibonacciNumbersAreThese(argument: Int, value: UInt64) {
    #expect(Fibonacci.value(argument) == value)
  }

  @Test(arguments: [(0, 1), (1, 1), (2, 2), (3, 3), (10, 89), (30, 1_346_269)])
  func spawnedOperationsAreTheRootAndEveryCallThatIsNoLeaf(argument: Int, count: Int) {
    #expect(Fibonacci.operationCount(argument) == count)
  }

  @Test func aJoinPassesOnTheSumOfBothValuesAndNotEarlier() {
    let root = Fibonacci.Join()
    let inner = Fibonacci.Join(parent: root)
    inner.deliver(5)
    #expect(root.result == nil)
    inner.deliver(8)
    #expect(root.result == 13)
    root.free()
  }

  @Test func aJoinWithoutOneOfItsValuesIsAWrongAnswer() {
    let root = Fibonacci.Join()
    let inner = Fibonacci.Join(parent: root)
    inner.deliver(5)
    #expect(throws: WrongAnswer.self) { try ForkJoin.check(root, expected: 5) }
    inner.deliver(1)
    #expect(throws: WrongAnswer.self) { try ForkJoin.check(root, expected: 5) }
    #expect(throws: Never.self) { try ForkJoin.check(root, expected: 6) }
    root.free()
  }

  @Test func aFanIsOneManyOnePerRound() {
    let shape = FanShape(rounds: 2, width: 3)
    let lists = (0..<shape.count).map { Array(shape.predecessors(of: $0)) }
    #expect(
      lists == [
        [], [0], [0], [0], [1, 2, 3],
        [4], [5], [5], [5], [6, 7, 8],
      ])
  }

  @Test func urgentOperationsAreSpreadOverTheFirstHalfOfTheFlood() {
    let plan = PriorityMixPlan(flood: 20_000, samples: 200)
    #expect(plan.intervalNanoseconds == 250_000)
    #expect(plan.holdNanoseconds(workers: 1) == 5000)
    #expect(plan.holdNanoseconds(workers: 4) == 20_000)
  }

  @Test func onlyLatenciesUnderTheFloodCount() {
    let plan = PriorityMixPlan(flood: 10, samples: 3)
    let submitted: [UInt64] = [100, 200, 300]
    let started: [UInt64] = [110, 230, 301]
    #expect(
      plan.latencies(submitted: submitted, started: started, floodEnd: 250) == [10, 30])
    #expect(
      plan.latencies(submitted: submitted, started: started, floodEnd: 50) == [10, 30, 1])
  }

  @Test func submitLatencyRefusesAStartBeforeItsSubmission() {
    #expect(throws: WrongAnswer.self) {
      try SubmitLatency.latencies(submitted: [10, 20], started: [11, 19])
    }
    #expect(throws: Never.self) {
      try SubmitLatency.latencies(submitted: [10, 20], started: [11, 20])
    }
  }
}
