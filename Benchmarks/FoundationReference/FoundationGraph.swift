// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Workloads

/// A workload whose operations are all known before the first starts, on Foundation's own
/// dependencies.
///
/// A batch is of objects of a subclass without a closure of their own, as the built-in workloads
/// have them.
final class FoundationGraph: ReferenceWorkload {
  private let name: String
  private let storage: SlotStorage
  private let predecessors: (Int) -> [Int]
  private let body: @Sendable (Int) -> Void
  private let addition: Addition

  /// How the operations get into their queue.
  private enum Addition {
    /// All at once, with their dependencies.
    case batch
    /// One by one, as closures.
    case closures
    /// One by one, as `BlockOperation` objects.
    case objects
  }

  private init(
    _ name: String, storage: SlotStorage, addition: Addition = .batch,
    predecessors: @escaping (Int) -> [Int], body: @escaping @Sendable (Int) -> Void
  ) {
    self.name = name
    self.storage = storage
    self.predecessors = predecessors
    self.body = body
    self.addition = addition
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    switch addition {
    case .batch: iterateBatch(workers: workers, recorder: &recorder)
    case .closures, .objects: iterateOneByOne(workers: workers, recorder: &recorder)
    }
    try storage.checkIteration(of: "\(name) on foundation")
  }

  private func iterateBatch(workers: Int, recorder: inout IterationRecorder) {
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    var operations: [Operation] = []
    operations.reserveCapacity(storage.count)
    for index in 0..<storage.count {
      let operation = Node(index, body)
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

  private func iterateOneByOne(workers: Int, recorder: inout IterationRecorder) {
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    recorder.built()
    let body = body
    if case .objects = addition {
      for index in 0..<storage.count {
        queue?.addOperation(BlockOperation { body(index) })
      }
    } else {
      for index in 0..<storage.count { queue?.addOperation { body(index) } }
    }
    queue?.waitUntilAllOperationsAreFinished()
    withExtendedLifetime(queue) { recorder.ran() }
    queue = nil
    recorder.released()
  }
}

extension FoundationGraph {
  /// Closures, or objects with one, added one by one.
  static func independent(
    _ name: String, operations: Int, asObjects: Bool = false
  ) throws(WorkloadError) -> FoundationGraph {
    let storage = try SlotStorage(for: name, count: operations)
    let slots = storage.slots
    return FoundationGraph(name, storage: storage, addition: asObjects ? .objects : .closures) {
      _ in
      []
    } body: { index in
      slots.increment(index)
    }
  }

  /// Each operation after the one before.
  static func chain(operations: Int) throws(WorkloadError) -> FoundationGraph {
    let storage = try SlotStorage(for: "chain", count: operations)
    let slots = storage.slots
    return FoundationGraph("chain", storage: storage) { index in
      index > 0 ? [index - 1] : []
    } body: { index in
      Chain.visit(index, slots)
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
      Fan.body(index, after: shape.predecessors(of: index), slots: slots)()
    }
  }

  /// A square, each operation after its upper and left neighbours.
  static func wavefront(
    _ name: String, side: Int, bodyNanoseconds: Int = 0
  ) throws(WorkloadError) -> FoundationGraph {
    let storage = try SlotStorage(for: name, count: side * side)
    let slots = storage.slots
    let spins = UInt64(bodyNanoseconds)
    return FoundationGraph(name, storage: storage) { index in
      (index >= side ? [index - side] : []) + (index % side > 0 ? [index - 1] : [])
    } body: { index in
      Wavefront.visit(index, side: side, slots)
      if spins > 0 { WorkerHold.spin(nanoseconds: spins) }
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
      Layered.visit(index, of: graph, slots)
    }
  }
}

/// An operation of a graph.
private final class Node: Operation, @unchecked Sendable {
  private let index: Int
  private let body: @Sendable (Int) -> Void

  init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.index = index
    self.body = body
    super.init()
  }

  override func main() { body(index) }
}
