// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations
import WorkStealingBackend

/// A subclass with `main()`, as most programs write them.
final class UserOperation: Operation, @unchecked Sendable {
  private let counters: Counters
  private let index: Int

  init(_ counters: Counters, _ index: Int) {
    self.counters = counters
    self.index = index
    super.init()
  }

  override func main() { counters.add(index) }
}

/// A graph that is built from operations, added in one batch and waited for.
class Layered: Program {
  private let shape: Shape
  private let make: (Counters, Int) -> Operation
  let counters: Counters

  init(_ shape: Shape, _ make: @escaping (Counters, Int) -> Operation) {
    self.shape = shape
    self.make = make
    counters = Counters(shape.predecessors.count)
  }

  final var count: Int { shape.predecessors.count }
  final func check() { counters.check() }

  final func build() -> [Operation] {
    var operations: [Operation] = []
    operations.reserveCapacity(count)
    for index in 0..<count {
      let operation = make(counters, index)
      for predecessor in shape.predecessors[index] {
        operation.addDependency(operations[predecessor])
      }
      operations.append(operation)
    }
    return operations
  }

  func iterate(on scheduler: WorkStealingScheduler) {
    let queue = OperationQueue(scheduler: scheduler)
    queue.addOperations(build(), waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Each operation is observed until it has finished.
final class ObservedLayered: Layered {
  init() { super.init(.layered) { counters, index in BlockOperation { counters.add(index) } } }

  override func iterate(on scheduler: WorkStealingScheduler) {
    let queue = OperationQueue(scheduler: scheduler)
    let operations = build()
    let observations = operations.map { $0.observe(\.isFinished) { _, _ in } }
    queue.addOperations(operations, waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
    withExtendedLifetime(observations) {}
  }
}

/// Built on one thread, added one by one on another.
final class LayeredElsewhere: Layered {
  init() { super.init(.layered) { counters, index in BlockOperation { counters.add(index) } } }

  /// What the other thread gets.
  private final class Parcel {
    let operations: [Operation]
    let queue: OperationQueue
    init(_ operations: [Operation], _ queue: OperationQueue) {
      (self.operations, self.queue) = (operations, queue)
    }
  }

  override func iterate(on scheduler: WorkStealingScheduler) {
    let queue = OperationQueue(scheduler: scheduler)
    let parcel = Unmanaged.passRetained(Parcel(build(), queue))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { word in
        guard let word else { return nil }
        let parcel = Unmanaged<Parcel>.fromOpaque(word).takeRetainedValue()
        for operation in parcel.operations { parcel.queue.addOperation(operation) }
        return nil
      }, parcel.toOpaque())
    guard status == 0 else { fatalError("no thread") }
    pthread_join(thread, nil)
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Closures whose handles the program keeps and asks for their operations.
final class LayeredHandles: Program {
  private let shape = Shape.layered
  private let counters: Counters

  init() { counters = Counters(shape.predecessors.count) }

  var count: Int { shape.predecessors.count }
  func check() { counters.check() }

  func iterate(on scheduler: WorkStealingScheduler) {
    let queue = OperationQueue(scheduler: scheduler)
    queue.isSuspended = true
    var handles: [OperationHandle] = []
    handles.reserveCapacity(count)
    for index in 0..<count {
      let counters = counters
      let handle = queue.addOperation { counters.add(index) }
      for predecessor in shape.predecessors[index] {
        handle.operation.addDependency(handles[predecessor].operation)
      }
      handles.append(handle)
    }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    withExtendedLifetime(handles) {}
  }
}

/// A graph that was built before and runs again.
final class StaticGraph: Program {
  private let graph: OperationGraph
  private let counters: Counters

  init(_ shape: Shape) {
    let counters = Counters(shape.predecessors.count)
    let built = try? OperationGraph { builder in
      var nodes: [OperationGraph.Node] = []
      for (index, predecessors) in shape.predecessors.enumerated() {
        nodes.append(builder.add(after: predecessors.map { nodes[$0] }) { counters.add(index) })
      }
    }
    guard let built else { fatalError("no graph") }
    (graph, self.counters) = (built, counters)
  }

  var count: Int { graph.count }
  func check() { counters.check() }
  func iterate(on scheduler: WorkStealingScheduler) { graph.runAndWait(on: scheduler) }
}

/// A Fibonacci number by forks in the stack of one operation.
final class ForkJoinStack: Program {
  private static let argument = 27
  private let counters = Counters(1)

  /// Calls, the root included.
  let count = 635_621

  func check() { counters.check() }

  func iterate(on scheduler: WorkStealingScheduler) {
    let (queue, counters) = (OperationQueue(scheduler: scheduler), counters)
    queue.addOperation { if Self.value(Self.argument) == 196_418 { counters.add(0) } }
    queue.waitUntilAllOperationsAreFinished()
  }

  private static func value(_ argument: Int) -> Int {
    guard argument >= 2 else { return argument }
    let (first, second) = forkJoin({ value(argument - 1) }, { value(argument - 2) })
    return first + second
  }
}
