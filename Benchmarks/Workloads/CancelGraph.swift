// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Operations that wait for dependencies when they are cancelled: one by one down a tree, or all
/// behind one that has not run.
///
/// Stresses: the way of a cancelled operation out of a graph: its dependencies no longer count.
/// Does not show: bodies; none of a cancelled operation may run. Run is the request until the queue
/// is quiet.
package final class CancelGraph: Workload {
  /// What is cancelled, and how.
  enum Form {
    /// All behind a first operation, by the queue.
    case waiting
    /// A tree from its root: an operation cancels its children in its own `cancel()`.
    case cascade
  }

  private let name: String
  private let form: Form
  let storage: SlotStorage
  private var isFirstIteration = true

  init(_ name: String, _ form: Form, count: Int) throws(WorkloadError) {
    self.name = name
    self.form = form
    storage = try SlotStorage(for: name, count: count)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    queue?.retainsFinishedDependencies = false
    queue?.isSuspended = true
    var operations = makeOperations()
    // As everywhere, in the warm-up alone.
    let edges = isFirstIteration ? operations.edgeCount : nil
    queue?.addOperations(operations, waitUntilFinished: false)
    recorder.built()
    switch form {
    case .waiting: queue?.cancelAllOperations()
    case .cascade: operations[0].cancel()
    }
    queue?.isSuspended = false
    try TimedIteration.wait(for: queue, name)
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    let wrong = operations.count { !$0.isCancelled || !$0.isFinished }
    // The children of each would let go of theirs in turn, as deep as the tree.
    for case let operation as CascadingOperation in operations { operation.children = [] }
    operations = []
    queue = nil
    recorder.released()
    guard wrong == 0 else {
      throw WrongAnswer(
        message: "\(name): \(wrong) operations are not both cancelled and finished; expected all")
    }
    if let difference = storage.difference(expected: 0) {
      throw WrongAnswer(message: "\(name): a cancelled body has run: \(difference)")
    }
    try TimedIteration.check(
      name, edges: edges, expected: isFirstIteration ? storage.count - 1 : nil)
    isFirstIteration = false
  }

  private func makeOperations() -> [Operation] {
    let slots = storage.slots
    let operations = (0..<storage.count).map { CascadingOperation($0, slots) }
    for index in 1..<max(storage.count, 1) {
      let parent = form == .waiting ? 0 : (index - 1) / 2
      operations[index].addDependency(operations[parent])
      if form == .cascade { operations[parent].children.append(operations[index]) }
    }
    return operations
  }
}

/// An operation that cancels its children when it is cancelled.
private final class CascadingOperation: Operation, @unchecked Sendable {
  private let index: Int
  private let slots: Slots
  /// Set before the operation is added.
  var children: [Operation] = []

  init(_ index: Int, _ slots: Slots) {
    self.index = index
    self.slots = slots
    super.init()
  }

  override func main() { slots.increment(index) }

  override func cancel() {
    super.cancel()
    for child in children { child.cancel() }
  }
}

/// Pending operations of which a share is cancelled, one by one.
///
/// Stresses: cancelling single operations among others that run. Does not show: cancelling a whole
/// queue. Run is the requests, and everything until the queue is quiet.
package final class CancelShare: Workload {
  private let share: Int
  let storage: SlotStorage
  private var iterations: UInt32 = 0

  init(count: Int, share: Int) throws(WorkloadError) {
    self.share = share
    storage = try SlotStorage(for: "cancel-share", count: count)
  }

  package var operationsPerIteration: Int { storage.count }

  /// Spread over the operations, exactly `share` of each hundred.
  private func isCancelled(_ index: Int) -> Bool { index * 37 % 100 < share }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    queue?.isSuspended = true
    var operations: [Operation] = (0..<storage.count).map { index in
      BlockOperation { slots.increment(index) }
    }
    queue?.addOperations(operations, waitUntilFinished: false)
    recorder.built()
    for index in operations.indices where isCancelled(index) { operations[index].cancel() }
    queue?.isSuspended = false
    try TimedIteration.wait(for: queue, "cancel-share")
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    operations = []
    queue = nil
    recorder.released()
    iterations &+= 1
    let wrong = (0..<storage.count).count { slots.value($0) != (isCancelled($0) ? 0 : iterations) }
    guard wrong == 0 else {
      throw WrongAnswer(
        message: "cancel-share: \(wrong) of \(storage.count) bodies ran too often or too seldom; "
          + "expected once in an iteration where not cancelled, never where cancelled")
    }
  }
}

extension WorkloadDescription {
  private static func cancelGraph(
    _ name: String, _ form: CancelGraph.Form, summary: String
  ) -> WorkloadDescription {
    WorkloadDescription(
      name: name, summary: summary, notShown: "bodies: none of a cancelled operation runs",
      tags: ["throughput", "cancellation", "dependency"], runsByDefault: false,
      axes: [
        Axis(
          name: "n", summary: "operations", smoke: 100, quick: 5000, real: 50_000,
          legal: 1...10_000_000)
      ],
      make: { parameters throws(WorkloadError) in
        try CancelGraph(name, form, count: parameters["n"])
      })
  }

  /// Operations behind one that has not run.
  package static let cancelWaiting = cancelGraph(
    "cancel-waiting", .waiting,
    summary: "cancelling operations that wait for a dependency which has not run")

  /// A tree, from its root down.
  package static let cancelCascade = cancelGraph(
    "cancel-cascade", .cascade, summary: "cancelling a tree: each operation cancels its children")

  /// A share of pending operations.
  package static let cancelShare = WorkloadDescription(
    name: "cancel-share",
    summary: "a share of pending operations is cancelled one by one, the others run",
    notShown: "cancelling a whole queue: see cancel",
    tags: ["throughput", "cancellation"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 200, quick: 10_000, real: 100_000,
        legal: 1...10_000_000),
      Axis(name: "share", summary: "cancelled, in %", always: 50, legal: .numbers(0...100)),
    ],
    make: { parameters throws(WorkloadError) in
      try CancelShare(count: parameters["n"], share: parameters["share"])
    })
}
