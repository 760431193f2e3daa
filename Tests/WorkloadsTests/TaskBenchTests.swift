// SPDX-License-Identifier: Apache-2.0

import Harness
import Testing

@testable import Workloads

/// The edges of the patterns, by hand, and the search for the minimum grain.
@Suite struct TaskBenchTests {
  private typealias Pattern = TaskBenchGrid.Pattern

  /// Each step as the lists of its points' dependences, for a grid of three steps of four points.
  private func rows(_ pattern: TaskBenchGrid.Pattern, radix: Int = 3) -> [[[Int]]] {
    var grid = TaskBenchGrid(pattern, steps: 3, width: 4)
    grid.radix = radix
    return (0..<3).map { step in
      grid.points(at: step).map { grid.dependences(of: $0, at: step) }
    }
  }

  @Test(
    arguments: [
      (.trivial, [[], [], [], []], [[], [], [], []]),
      (.noComm, [[0], [1], [2], [3]], [[0], [1], [2], [3]]),
      (
        .stencil, [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]],
        [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]]
      ),
      (
        .stencilPeriodic, [[0, 1, 3], [0, 1, 2], [1, 2, 3], [0, 2, 3]],
        [[0, 1, 3], [0, 1, 2], [1, 2, 3], [0, 2, 3]]
      ),
      (.fft, [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]], [[0, 2], [1, 3], [0, 2], [1, 3]]),
      (
        .allToAll, Array(repeating: [0, 1, 2, 3], count: 4),
        Array(repeating: [0, 1, 2, 3], count: 4)
      ),
      (
        .nearest, [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]],
        [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]]
      ),
      // Places 0, 1 and 2 of three over four points, the later ones one point, then two further.
      (
        .spread, [[0, 2, 3], [0, 1, 3], [0, 1, 2], [1, 2, 3]],
        [[0, 3], [0, 1], [1, 2], [2, 3]]
      ),
    ] as [(TaskBenchGrid.Pattern, [[Int]], [[Int]])])
  func patternsHaveTheseEdges(
    pattern: TaskBenchGrid.Pattern, first: [[Int]], second: [[Int]]
  ) {
    #expect(rows(pattern) == [[[], [], [], []], first, second])
  }

  @Test func aSweepGrowsAndShrinks() {
    // Rows of 1, 2 and 1 points; the points that exist move by the steps that are missing.
    let grid = TaskBenchGrid(.dom, steps: 3, width: 4)
    #expect((0..<3).map { grid.points(at: $0) } == [1..<2, 2..<4, 3..<4])
    #expect(grid.dependences(of: 2, at: 1) == [1] && grid.dependences(of: 3, at: 1) == [])
    #expect(grid.dependences(of: 3, at: 2) == [2, 3])
    let tall = TaskBenchGrid(.dom, steps: 5, width: 2)
    #expect((0..<5).map { tall.points(at: $0) } == [0..<1, 0..<2, 0..<2, 0..<2, 1..<2])
    #expect(tall.dependences(of: 1, at: 2) == [0, 1] && tall.dependences(of: 1, at: 1) == [0])
  }

  @Test func aTreeDoublesUpToTheWidth() {
    let grid = TaskBenchGrid(.tree, steps: 4, width: 6)
    #expect((0..<4).map { grid.points(at: $0).count } == [1, 2, 4, 6])
    #expect((0..<6).map { grid.dependences(of: $0, at: 3) } == [[0], [0], [1], [1], [2], [2]])
  }

  @Test func aRandomNeighbourIsNearAndOneselfIsAlwaysThere() {
    var grid = TaskBenchGrid(.randomNearest, steps: 40, width: 50)
    grid.radix = 9
    var edges = 0
    for step in 1..<40 {
      for point in 0..<50 {
        let found = grid.dependences(of: point, at: step)
        #expect(found.contains(point) && found.allSatisfy { abs($0 - point) <= 4 })
        edges += found.count
      }
    }
    // Eight others with a probability of a quarter, fewer at the ends of the row.
    #expect((5200..<5900).contains(edges), "\(edges) edges")
    var other = grid
    other.seed = 1
    #expect(
      (0..<50).map { grid.dependences(of: $0, at: 1) }
        != (0..<50).map { other.dependences(of: $0, at: 1) })
  }

  @Test(
    arguments: TaskBenchGrid.Pattern.allCases, ["task-bench", "graph-task-bench"])
  func everyPatternRunsOnEveryScheduler(pattern: TaskBenchGrid.Pattern, name: String) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    for kernel in GraphBody.Kernel.allCases {
      var parameters = description.parameters(at: .smoke)
      parameters.set("pattern", to: .word(pattern.rawValue))
      parameters.set("kernel", to: .word(kernel.rawValue))
      let workload = try description.make(parameters)
      for kind in TestScheduler.allCases {
        let scheduler = kind.make(workers: 2)
        defer { scheduler.shutDown() }
        for _ in 0..<2 {
          var recorder = IterationRecorder()
          try workload.iterate(on: scheduler, recorder: &recorder)
        }
      }
    }
  }

  @Test(arguments: GraphForm.allCases)
  func aResultThatIsMissingOrWrongIsAWrongAnswer(form: GraphForm) throws {
    let lists = try TaskBenchGrid(.stencil, steps: 4, width: 5).graph(for: "grid")
    let bodies = try GraphBodyStorage(
      for: "grid", count: lists.count, kernel: .compute, grain: 5, seed: 0)
    let program = try GraphProgram("grid", lists, as: form, body: bodies.body) {
      () throws(WrongAnswer) in try bodies.check("grid")
    }
    let scheduler = TestScheduler.inline.make(workers: 1)
    for slot in [0, 7, 19] {
      var recorder = IterationRecorder()
      try program.iterate(on: scheduler, recorder: &recorder)
      // As if the body had run once too often, or once too little.
      for runs in [program.storage.slots.value(slot) + 1, program.storage.slots.value(slot) - 1] {
        let before = program.storage.slots.value(slot)
        program.storage.overwrite(slot, with: runs)
        recorder.reset()
        #expect(throws: WrongAnswer.self) {
          try program.iterate(on: scheduler, recorder: &recorder)
        }
        program.storage.overwrite(slot, with: before + 1)
      }
    }
  }

  /// An iteration takes as long in the search's calibration as in a body.
  ///
  /// The compiler knows the number of iterations of one and not of the other. The shortest of
  /// several tries counts.
  @Test func aTurnOfTheKernelTakesTheSameTimeInBodyAndCalibration() throws {
    let storage = try GraphBodyStorage(
      for: "test", count: 20, kernel: .compute, grain: 100_000, seed: 1)
    let calibrated = GrainSearch.nanosecondsPerIteration()
    var shortest = UInt64.max
    for node in 0..<20 {
      let begin = MonotonicClock.nanoseconds()
      storage.body.run(node)
      shortest = min(shortest, MonotonicClock.nanoseconds() - begin)
    }
    let measured = Double(shortest) / 100_000
    #expect(abs(calibrated / measured - 1) < 0.3, "\(calibrated) ns, in a body \(measured) ns")
  }

  /// A made-up system: every node costs some time beside its body, and two workers do 1.4 times the
  /// work of one.
  @Test(arguments: [100.0, 1000, 5000])
  func theSearchFindsTheGrainAtWhichACostIsHalfOfTheBody(overhead: Double) throws {
    let iteration = GrainSearch.nanosecondsPerIteration()
    let search = GrainSearch(nodes: 1000, workers: 2) { iterations in
      UInt64(1000 * (Double(iterations) * iteration + overhead) / 1.4)
    }
    // Efficiency 0.7 · g / (g + overhead); the best that is seen, at 50 µs, is not quite 0.7.
    let best = 50_000 / (50_000 + overhead)
    let exact = overhead * best / (2 - best)
    let found = try search.run()
    #expect(abs(found / exact - 1) < 0.1, "\(found) ns, expected about \(exact)")
  }
}
