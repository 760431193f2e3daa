// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Scheduling

/// The minimum effective task granularity on a grid of Task Bench: an iteration is a whole search.
///
/// Stresses: everything that an operation costs beside its body, on the workers together. Does not
/// show: where the time goes; `bench profile task-bench` does. `wall` is the time of the search and
/// says nothing of the scheduler.
package final class MinimumGrain: Workload {
  /// What the efficiency is of.
  package enum Timed: String, CaseIterable, Sendable {
    /// The run alone.
    case run
    /// Building and releasing as well; of an `OperationGraph`, its construction.
    case wall
  }

  private let bodies: GraphBodyStorage
  private let program: GraphProgram<GraphBody>
  private let timed: Timed

  init(_ grid: TaskBenchGrid, as form: GraphForm, timed: Timed) throws(WorkloadError) {
    let lists = try grid.graph(for: "metg")
    let bodies = try GraphBodyStorage(
      for: "metg", count: lists.count, kernel: .compute, grain: 0, seed: 0)
    self.bodies = bodies
    program = try GraphProgram("metg", lists, as: form, body: bodies.body) {
      () throws(WrongAnswer) in
      try bodies.check("metg")
    }
    self.timed = timed
  }

  package var operationsPerIteration: Int { program.operationsPerIteration }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (program, bodies, timed) = (program, bodies, timed)
    recorder.begin()
    recorder.built()
    let search = GrainSearch(
      nodes: program.operationsPerIteration, workers: scheduler.workerCount
    ) { iterations throws(WrongAnswer) in
      bodies.setGrain(iterations)
      var own = IterationRecorder()
      try program.iterate(on: scheduler, recorder: &own)
      guard let sample = own.sample(operations: 1) else {
        throw WrongAnswer(message: "metg: a run without its four stamps; expected all of them")
      }
      switch timed {
      case .run: return sample.runNanoseconds
      case .wall: return sample.wallNanoseconds + program.construction
      }
    }
    let found = try search.run()
    recorder.ran()
    recorder.released()
    recorder.value("metg", found)
  }
}

extension WorkloadDescription {
  /// The minimum effective task granularity.
  package static let minimumGrain = WorkloadDescription(
    name: "metg",
    summary: "the shortest body with which half of the best efficiency is reached (metric metg)",
    notShown: "anything by wall, which is the time of the search",
    tags: ["throughput", "dependency", "graph"],
    runsByDefault: false,
    axes: [
      patternAxis,
      Axis(
        name: "form", summary: "class operations, or an OperationGraph", always: "graph",
        legal: .words(GraphForm.allCases.map(\.rawValue))),
      Axis(
        name: "timed", summary: "run alone, or with construction and release", always: "run",
        legal: .words(MinimumGrain.Timed.allCases.map(\.rawValue))),
      Axis(name: "steps", summary: "rows", smoke: 5, quick: 100, real: 200, legal: 1...100_000),
      Axis(name: "width", summary: "points of a row", smoke: 4, quick: 8, real: 8, legal: 1...4096),
      radixAxis, gridSeedAxis,
    ],
    metrics: ["metg"],
    // Two coarse grains three times, and a dozen finer ones.
    iterationSeconds: { Double($0["steps"] * $0["width"]) * 400e-6 },
    make: { parameters throws(WorkloadError) in
      try MinimumGrain(
        TaskBenchGrid(parameters),
        as: GraphForm(rawValue: parameters.word("form")) ?? .graph,
        timed: MinimumGrain.Timed(rawValue: parameters.word("timed")) ?? .run)
    })
}
