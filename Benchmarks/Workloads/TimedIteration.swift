// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
internal import Scheduling

/// How the workloads time themselves: the same stamps at the same places in each of them.
enum TimedIteration {
  /// How long an iteration may take before its answer counts as wrong; the harness gives up on a
  /// child earlier.
  ///
  /// Tests of schedulers that lose operations set a shorter time.
  @TaskLocal static var patience: Duration = .seconds(600)

  /// Builds a graph, adds it in one batch, waits for it and drops it.
  ///
  /// Build is the queue, the operations and their dependencies; run is the batch until the queue is
  /// quiet; release is the operations and the queue. On a scheduler that runs jobs inside
  /// `addOperations` the phases mean the same.
  ///
  /// With `edges` the operations must have so many dependencies; counting them costs as much as
  /// running them, so that workloads ask for it in the first iteration, the warm-up.
  static func run(
    _ name: String, on scheduler: any Scheduler, recorder: inout IterationRecorder,
    edges: Int? = nil, build: () -> [Operation]
  ) throws(WrongAnswer) {
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    queue?.retainsFinishedDependencies = false
    var operations = build()
    let found = edges.map { _ in operations.edgeCount }
    recorder.built()
    queue?.addOperations(operations, waitUntilFinished: false)
    try wait(for: queue, name)
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    operations = []
    queue = nil
    recorder.released()
    try check(name, edges: found, expected: edges)
  }

  /// Throws unless a graph was built with the edges that it is to have, where they were counted.
  static func check(_ name: String, edges found: Int?, expected: Int?) throws(WrongAnswer) {
    let heeded = found.map { $0 + PlantedFault.unheededEdges }
    guard found == expected || heeded == expected else {
      throw WrongAnswer(
        message: "\(name): the graph has \(found ?? 0) edges; expected \(expected ?? 0), as the "
          + "serial reference has it")
    }
  }

  /// Builds a queue, submits through it, waits until it is quiet and drops it.
  ///
  /// Build is the queue alone: operations added one by one start to run while the next is added.
  static func run(
    _ name: String, on scheduler: any Scheduler, recorder: inout IterationRecorder,
    submit: (OperationQueue) throws(WrongAnswer) -> Void
  ) throws(WrongAnswer) {
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    recorder.built()
    if let queue { try submit(queue) }
    try wait(for: queue, name)
    withExtendedLifetime(queue) { recorder.ran() }
    queue = nil
    recorder.released()
  }

  /// Waits until the queue is quiet.
  static func wait(for queue: OperationQueue?, _ name: String) throws(WrongAnswer) {
    guard let queue else { return }
    if !queue.wait(timeout: patience) {
      throw WrongAnswer(
        message: "\(name): \(queue.operationCount) operations have not finished after \(patience); "
          + "expected every operation to run")
    }
  }
}

extension [Operation] {
  /// Their dependencies together.
  var edgeCount: Int { reduce(0) { $0 + $1.dependencies.count } }
}

extension SlotStorage {
  /// Slots for a workload under construction.
  package convenience init(for name: String, count: Int) throws(WorkloadError) {
    do throws(Memory) {
      try self.init(count: count)
    } catch {
      throw .noMemory(name, count)
    }
  }

  /// Throws unless every slot holds what the serial reference leaves there after one more
  /// iteration.
  package func checkIteration(of name: String) throws(WrongAnswer) {
    if let difference = differenceAfterIteration() {
      throw WrongAnswer(message: "\(name): \(difference)")
    }
  }
}

extension StampStorage {
  /// Stamps for a workload under construction.
  package convenience init(for name: String, count: Int) throws(WorkloadError) {
    do throws(SlotStorage.Memory) {
      try self.init(count: count)
    } catch {
      throw .noMemory(name, count)
    }
  }
}

extension WorkloadError {
  /// There is no memory for the slots of a workload.
  static func noMemory(_ name: String, _ count: Int) -> WorkloadError {
    WorkloadError(
      message: "\(name): no memory for \(count) slots; expected enough for one slot per operation; "
        + "ask for a smaller size with --where")
  }
}
