// SPDX-License-Identifier: Apache-2.0

package import Harness

extension TaskBenchGrid {
  /// The grid that the axes say.
  package init(_ parameters: Parameters) {
    self.init(
      Pattern(rawValue: parameters.word("pattern")) ?? .trivial, steps: parameters["steps"],
      width: parameters["width"])
    radix = parameters["radix"]
    seed = parameters["seed"]
  }
}

extension WorkloadDescription {
  static let patternAxis = Axis(
    name: "pattern", summary: "dependences on the step before", always: "stencil_1d",
    legal: .words(TaskBenchGrid.Pattern.allCases.map(\.rawValue)))
  static let radixAxis = Axis(
    name: "radix", summary: "points that nearest, spread and random_nearest depend on", always: 5,
    legal: .numbers(0...64))
  static let gridSeedAxis = Axis(
    name: "seed", summary: "seed of random_nearest and of imbalance", always: 0,
    legal: .numbers(0...Int.max))

  private static let taskBenchAxes = [
    patternAxis,
    Axis(
      name: "kernel", summary: "what a body does", always: "empty",
      legal: .words(GraphBody.Kernel.allCases.map(\.rawValue))),
    Axis(
      name: "grain", summary: "iterations of the kernel, about 1 ns each", always: 100,
      legal: .numbers(0...1_000_000_000)),
    Axis(name: "steps", summary: "rows", smoke: 5, quick: 100, real: 1000, legal: 1...1_000_000),
    Axis(
      name: "width", summary: "points of a row", smoke: 6, quick: 8, real: 64, legal: 1...65_536),
    radixAxis, gridSeedAxis,
  ]

  /// A grid of Task Bench as class operations.
  package static let taskBench = WorkloadDescription(
    name: "task-bench",
    summary: "a grid of Task Bench: steps of a row of points, by a pattern of dependences",
    notShown: "graphs without rows; several grids at a time",
    tags: ["throughput", "dependency"],
    runsByDefault: false, axes: taskBenchAxes, metrics: ["edges"],
    make: { parameters throws(WorkloadError) in
      try program("task-bench", as: .operations, parameters)
    })

  /// The same, built once.
  package static let graphTaskBench = WorkloadDescription(
    name: "graph-task-bench",
    summary: "the grid of task-bench, built once and run in every iteration",
    notShown: "construction in wall: it is a metric of its own",
    tags: ["throughput", "dependency", "graph"],
    runsByDefault: false, axes: taskBenchAxes, metrics: ["edges", "construction"],
    make: { parameters throws(WorkloadError) in
      try program("graph-task-bench", as: .graph, parameters)
    })

  private static func program(
    _ name: String, as form: GraphForm, _ parameters: Parameters
  ) throws(WorkloadError) -> any Workload {
    let lists = try TaskBenchGrid(parameters).graph(for: name)
    let bodies = try GraphBodyStorage(
      for: name, count: lists.count,
      kernel: GraphBody.Kernel(rawValue: parameters.word("kernel")) ?? .empty,
      grain: parameters["grain"], seed: parameters["seed"])
    return try GraphProgram(name, lists, as: form, body: bodies.body) { () throws(WrongAnswer) in
      try bodies.check(name)
    }
  }
}
