// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Workloads

/// A graph as a Swift program writes it: one task per operation, which awaits the tasks of its
/// predecessors.
final class TaskGraphReference: ReferenceWorkload {
  private typealias Handle = Task<Void, Never>
  /// What one operation does.
  typealias Body = @Sendable () -> Void

  private let name: String
  private let storage: SlotStorage
  private let predecessors: @Sendable (Int) -> [Int]
  private let makeBody: @Sendable (Int, _ isFirstIteration: Bool) -> Body

  private init(
    _ name: String, storage: SlotStorage, predecessors: @escaping @Sendable (Int) -> [Int],
    body: @escaping @Sendable (Int, Bool) -> Body
  ) {
    self.name = name
    self.storage = storage
    self.predecessors = predecessors
    makeBody = body
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let (count, isFirst) = (storage.count, storage.isFirstIteration)
    let (predecessors, makeBody) = (predecessors, makeBody)
    recorder.begin()
    recorder.built()
    TaskBridge.run {
      var handles: [Handle] = []
      handles.reserveCapacity(count)
      for index in 0..<count {
        handles.append(
          Self.start(makeBody(index, isFirst), after: predecessors(index), of: handles))
      }
      for handle in handles { await handle.value }
    }
    recorder.ran()
    recorder.released()
    try storage.checkIteration(of: "\(name) on swift-tasks")
  }

  private static func start(
    _ body: @escaping Body, after predecessors: [Int], of handles: [Handle]
  ) -> Handle {
    switch predecessors.count {
    case 0: return Task.detached { body() }
    case 1:
      let predecessor = handles[predecessors[0]]
      return Task.detached {
        await predecessor.value
        body()
      }
    default:
      let awaited = predecessors.map { handles[$0] }
      return Task.detached {
        for predecessor in awaited { await predecessor.value }
        body()
      }
    }
  }
}

extension TaskGraphReference {
  /// Each operation after the one before.
  static func chain(operations: Int) throws(WorkloadError) -> TaskGraphReference {
    let storage = try SlotStorage(for: "chain", count: operations)
    let slots = storage.slots
    return TaskGraphReference("chain", storage: storage) { index in
      index > 0 ? [index - 1] : []
    } body: { index, _ in
      Chain.body(index, slots: slots)
    }
  }

  /// Rounds of one, many, one.
  static func fan(rounds: Int, width: Int) throws(WorkloadError) -> TaskGraphReference {
    let shape = FanShape(rounds: rounds, width: width)
    let storage = try SlotStorage(for: "fan", count: shape.count)
    let slots = storage.slots
    return TaskGraphReference("fan", storage: storage) { index in
      Array(shape.predecessors(of: index))
    } body: { index, _ in
      Fan.body(index, after: shape.predecessors(of: index), slots: slots)
    }
  }

  /// A square, each operation after its upper and left neighbours.
  static func wavefront(side: Int) throws(WorkloadError) -> TaskGraphReference {
    let storage = try SlotStorage(for: "wavefront", count: side * side)
    let slots = storage.slots
    return TaskGraphReference("wavefront", storage: storage) { index in
      (index >= side ? [index - side] : []) + (index % side > 0 ? [index - 1] : [])
    } body: { index, _ in
      Wavefront.body(row: index / side, column: index % side, side: side, slots: slots)
    }
  }

  /// A seeded random graph; the first iteration checks the order, as `Layered` does.
  static func layered(
    layers: Int, width: Int, degree: Int, seed: Int
  ) throws(WorkloadError) -> TaskGraphReference {
    let graph = try LayeredGraph(layers: layers, width: width, degree: degree, seed: seed)
    let storage = try SlotStorage(for: "layered", count: graph.count)
    let slots = storage.slots
    return TaskGraphReference("layered", storage: storage) { index in
      graph.predecessors(of: index).map { Int($0) }
    } body: { index, isFirstIteration in
      Layered.body(index, of: graph, checkingOrder: isFirstIteration, slots: slots)
    }
  }
}
