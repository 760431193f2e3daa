// SPDX-License-Identifier: Apache-2.0

internal import Operations
import Synchronization

// Forks, announced blocking, circles, and `start()` itself.

extension Run {
  /// Both halves have run once when a fork returns, where the same queue is current.
  func both(_ first: [Step], _ second: [Step]) {
    let place = OperationQueue.current
    let ran = (Again(), Again())
    @Sendable func half(_ steps: [Step], _ ran: Again) {
      ran.count.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if OperationQueue.current !== place { fault("another queue is current in half of a fork") }
      perform(steps, nil)
    }
    _ = forkJoin({ half(first, ran.0) }, { half(second, ran.1) })
    for (number, ran) in [ran.0, ran.1].enumerated() {
      let count = ran.count.load(ordering: .sequentiallyConsistent)
      if count != 1 { fault("half \(number) of a fork ran \(count) times") }
    }
  }

  /// Each index is used once.
  func each(_ count: Int, _ steps: [Step]) {
    let used = (0..<count).map { _ in Again() }
    forkEach(0..<count, grain: 1) { index in
      used[index].count.wrappingAdd(1, ordering: .sequentiallyConsistent)
      perform(steps, nil)
    }
    for (index, used) in used.enumerated() {
      let count = used.count.load(ordering: .sequentiallyConsistent)
      if count != 1 { fault("index \(index) of a fork was used \(count) times") }
    }
  }

  func blockForAMoment() {
    let ran = OperationQueue.blocking {
      nap(microseconds: 20)
      return true
    }
    if !ran { fault("unreachable") }
  }

  /// A circle is found where there is one for certain, and none where no timing makes one.
  func validate(_ numbers: [Int], _ actor: Actor?) {
    let operations = numbers.compactMap { operation($0, actor) }
    let isCertain =
      isAlone.load(ordering: .sequentiallyConsistent)
      && !mayHaveBegun.load(ordering: .sequentiallyConsistent)
    let hasCircle = isCertain && Self.hasCircle(operations)
    do throws(OperationError) {
      try OperationQueue.validateGraph(operations)
      if hasCircle { fault("no circle was found among \(numbers)") }
    } catch {
      guard case .dependencyCycle(let path) = error, path.count > 1, path.first === path.last else {
        return fault("looking for circles among \(numbers): \(error)")
      }
      if certainty.circularEdges.isEmpty { fault("there is no circle among \(numbers): \(error)") }
    }
  }

  /// Whether operations, none of which has begun or was cancelled, wait for each other.
  private static func hasCircle(_ operations: [Operation]) -> Bool {
    var left = Set<ObjectIdentifier>()
    var above = Set<ObjectIdentifier>()
    func closes(_ operation: Operation) -> Bool {
      let identity = ObjectIdentifier(operation)
      if above.contains(identity) { return true }
      guard left.insert(identity).inserted else { return false }
      above.insert(identity)
      defer { above.remove(identity) }
      return operation.dependencies.contains { closes($0) }
    }
    return operations.contains { closes($0) }
  }

  /// `start()` where it is legal: everything else stops the process.
  ///
  /// It returns at once when the operation has finished. Else it returns when the body has: a
  /// synchronous operation has finished then, and one that was cancelled has not run.
  func callStart(_ number: Int, _ actor: Actor?) {
    guard let operation = operation(number, actor) else { return }
    let facts = facts[number]
    if operation.isFinished {
      let runs = facts.runs.load(ordering: .sequentiallyConsistent)
      operation.start()
      // A body may go on after a finish that came too early, but none begins.
      if isAlone.load(ordering: .sequentiallyConsistent), !mayFinishEarly(number),
        facts.runs.load(ordering: .sequentiallyConsistent) != runs
      {
        fault("\(number) ran when it was started after it had finished")
      }
      return
    }
    guard isFree(number), operation.isReady else { return }
    let wasCancelled = operation.isCancelled
    facts.isGiven.store(true, ordering: .sequentiallyConsistent)
    operation.start()
    guard program.plans[number].kind.isSynchronous, !mayFinishEarly(number) else { return }
    if !operation.isFinished { fault("\(number) has not finished when start() returns") }
    let runs = facts.runs.load(ordering: .sequentiallyConsistent)
    if program.plans[number].kind == .plain { return }
    if wasCancelled, runs != 0 { fault("\(number) ran although it was cancelled before its start") }
    // A dependency may pass its cancellation on to it.
    if !operation.isCancelled, runs != 1 { fault("\(number) ran \(runs) times in start()") }
  }

  func finishThrowing(_ number: Int, _ operation: Operation, isFirst: Bool) {
    guard let operation = operation as? AsyncOperation else { return }
    if isFirst { facts[number].hasSureError.store(true, ordering: .sequentiallyConsistent) }
    operation.finish(throwing: OnceMore())
  }
}
