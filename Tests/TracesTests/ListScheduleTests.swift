// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct ListScheduleTests {
  @Test func oneWorkerTakesTheSumAndManyTakeTheCriticalPath() {
    let durations: [Int64] = [3, 5, 2, 7]
    let parents: [[Int32]] = [[], [0], [0], [1, 2]]
    #expect(ListSchedule.makespan(durations: durations, parents: parents, workers: 1) == 17)
    #expect(ListSchedule.makespan(durations: durations, parents: parents, workers: 2) == 15)
    #expect(ListSchedule.makespan(durations: durations, parents: parents, workers: 99) == 15)
  }

  @Test func theTaskThatIsReadyLongestGoesFirst() {
    // Task 1 is ready at 0 and task 0 at 1, so that the long task 0 starts only when task 3 is
    // through.
    let durations: [Int64] = [10, 1, 1, 4]
    let parents: [[Int32]] = [[2], [], [], []]
    // 0: tasks 1, 2; 1: tasks 3, 0; end at 11.
    #expect(ListSchedule.makespan(durations: durations, parents: parents, workers: 2) == 11)
    // One worker more changes nothing; with one worker all run in turn.
    #expect(ListSchedule.makespan(durations: durations, parents: parents, workers: 1) == 16)
  }

  @Test func tiesGoByIndexWhateverFreedThem() {
    // At time 2 tasks 0 (freed by 3) and 1 (freed by 2) are ready at once: 0 first, so that 4 waits
    // for 10.
    let durations: [Int64] = [8, 1, 2, 2, 1]
    let parents: [[Int32]] = [[3], [2], [], [], [0]]
    #expect(ListSchedule.makespan(durations: durations, parents: parents, workers: 1) == 14)
    #expect(ListSchedule.makespan(durations: durations, parents: parents, workers: 2) == 11)
  }

  @Test func firstComeFirstServedCanMissTheOptimum() {
    // Two short tasks go before the long one: 1 + 4 instead of the optimal 4.
    let durations: [Int64] = [1, 1, 4, 2]
    #expect(
      ListSchedule.makespan(durations: durations, parents: [[], [], [], []], workers: 2) == 5)
  }

  @Test func zeroDurationsAndEmptyGraphsCostNothing() {
    #expect(ListSchedule.makespan(durations: [], parents: [], workers: 2) == 0)
    let chain = (0..<1_000).map { $0 == 0 ? [] : [Int32($0 - 1)] }
    #expect(
      ListSchedule.makespan(
        durations: Array(repeating: 0, count: 1_000), parents: chain, workers: 1) == 0)
  }

  @Test func everyScheduleKeepsGrahamsBounds() {
    var state: UInt64 = 7
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<200 {
      let count = 1 + random(40)
      let durations = (0..<count).map { _ in Int64(random(20)) }
      let parents = (0..<count).map { task in
        Set((0..<random(4)).compactMap { _ in task == 0 ? nil : Int32(random(task)) }).sorted()
      }
      var finish = Array(repeating: Int64(0), count: count)
      for task in 0..<count {
        finish[task] = durations[task] + (parents[task].map { finish[Int($0)] }.max() ?? 0)
      }
      let work = durations.reduce(0, +)
      let path = finish.max() ?? 0
      for workers in 1...4 {
        let makespan = ListSchedule.makespan(
          durations: durations, parents: parents, workers: workers)
        #expect(makespan >= max(path, (work + Int64(workers) - 1) / Int64(workers)))
        #expect(makespan * Int64(workers) <= work + Int64(workers - 1) * path)
        if workers == 1 { #expect(makespan == work) }
      }
    }
  }
}
