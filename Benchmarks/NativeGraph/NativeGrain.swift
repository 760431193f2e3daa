// SPDX-License-Identifier: Apache-2.0

internal import CNativeGraph
package import Harness
internal import Workloads

/// The search of `metg` with a graph that a reference system runs.
///
/// A system that builds while it runs has the building in its run: it cannot be told apart.
package final class NativeGrain: ReferenceWorkload {
  private let program: NativeGraph
  private let results: StampStorage
  private let timed: MinimumGrain.Timed

  init(_ parameters: Parameters, on system: NativeGraph.System) throws(WorkloadError) {
    program = try NativeGraph("metg", try TaskBenchGrid(parameters).graph(for: "metg"), on: system)
    results = try StampStorage(for: "metg", count: program.operationsPerIteration)
    timed = MinimumGrain.Timed(rawValue: parameters.word("timed")) ?? .run
  }

  package var operationsPerIteration: Int { program.operationsPerIteration }

  package func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let (program, results, timed) = (program, results, timed)
    recorder.begin()
    recorder.built()
    let search = GrainSearch(nodes: program.operationsPerIteration, workers: workers) {
      iterations throws(WrongAnswer) in
      native_graph_set_grain(program.graph, Int64(iterations), results.stamps.handle)
      var own = IterationRecorder()
      try program.iterate(workers: workers, recorder: &own)
      guard let sample = own.sample(operations: 1) else {
        throw WrongAnswer(message: "metg: a run without its four stamps; expected all of them")
      }
      return timed == .run ? sample.runNanoseconds : sample.wallNanoseconds
    }
    let found = try search.run()
    recorder.ran()
    recorder.released()
    recorder.value("metg", found)
  }
}
