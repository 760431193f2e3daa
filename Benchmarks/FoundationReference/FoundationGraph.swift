// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Workloads

/// A workload whose operations are all known before the first starts, on Foundation's own dependencies.
final class FoundationGraph: ReferenceWorkload {
  private let name: String
  private let storage: SlotStorage
  private let predecessors: (Int) -> [Int]
  private let makeBody: (Int) -> @Sendable () -> Void
  private let isBatch: Bool

  private init(
    _ name: String, storage: SlotStorage, isBatch: Bool = true,
    predecessors: @escaping (Int) -> [Int], body: @escaping (Int) -> @Sendable () -> Void
  ) {
    self.name = name
    self.storage = storage
    self.predecessors = predecessors
    makeBody = body
    self.isBatch = isBatch
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    if isBatch {
      iterateBatch(workers: workers, recorder: &recorder)
    } else {
      iterateClosures(workers: workers, recorder: &recorder)
    }
    try storage.checkIteration(of: "\(name) on foundation")
  }

  private func iterateBatch(workers: Int, recorder: inout IterationRecorder) {
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    var operations: [Operation] = []
    operations.reserveCapacity(storage.count)
    for index in 0..<storage.count {
      let operation = BlockOperation(block: makeBody(index))
      for predecessor in predecessors(index) {
        operation.addDependency(operations[predecessor])
      }
      operations.append(operation)
    }
    recorder.built()
    queue?.addOperations(operations, waitUntilFinished: false)
    queue?.waitUntilAllOperationsAreFinished()
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    FoundationIteration.release(&operations)
    queue = nil
    recorder.released()
  }

  private func iterateClosures(workers: Int, recorder: inout IterationRecorder) {
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    recorder.built()
    for index in 0..<storage.count { queue?.addOperation(makeBody(index)) }
    queue?.waitUntilAllOperationsAreFinished()
    withExtendedLifetime(queue) { recorder.ran() }
    queue = nil
    recorder.released()
  }
}

extension FoundationGraph {
  /// Closures added one by one.
  static func independent(operations: Int) throws(WorkloadError) -> FoundationGraph {
    let storage = try SlotStorage(for: "independent", count: operations)
    let slots = storage.slots
    return FoundationGraph("independent", storage: storage, isBatch: false) { _ in
      []
    } body: { index in
      { slots.increment(index) }
    }
  }

  /// Each operation after the one before.
  static func chain(operations: Int) throws(WorkloadError) -> FoundationGraph {
    let storage = try SlotStorage(for: "chain", count: operations)
    let slots = storage.slots
    return FoundationGraph("chain", storage: storage) { index in
      index > 0 ? [index - 1] : []
    } body: { index in
      Chain.body(index, slots: slots)
    }
  }

  /// Rounds of one, many, one.
  static func fan(rounds: Int, width: Int) throws(WorkloadError) -> FoundationGraph {
    let shape = FanShape(rounds: rounds, width: width)
    let storage = try SlotStorage(for: "fan", count: shape.count)
    let slots = storage.slots
    return FoundationGraph("fan", storage: storage) { index in
      Array(shape.predecessors(of: index))
    } body: { index in
      Fan.body(index, after: shape.predecessors(of: index), slots: slots)
    }
  }

  /// A square, each operation after its upper and left neighbours.
  static func wavefront(side: Int) throws(WorkloadError) -> FoundationGraph {
    let storage = try SlotStorage(for: "wavefront", count: side * side)
    let slots = storage.slots
    return FoundationGraph("wavefront", storage: storage) { index in
      (index >= side ? [index - side] : []) + (index % side > 0 ? [index - 1] : [])
    } body: { index in
      Wavefront.body(row: index / side, column: index % side, side: side, slots: slots)
    }
  }

  /// A seeded random graph; every iteration checks the order, which is cheap beside the rest.
  static func layered(
    layers: Int, width: Int, degree: Int, seed: Int
  ) throws(WorkloadError) -> FoundationGraph {
    let graph = try LayeredGraph(layers: layers, width: width, degree: degree, seed: seed)
    let storage = try SlotStorage(for: "layered", count: graph.count)
    let slots = storage.slots
    return FoundationGraph("layered", storage: storage) { index in
      graph.predecessors(of: index).map { Int($0) }
    } body: { index in
      Layered.body(index, of: graph, checkingOrder: true, slots: slots)
    }
  }
}
