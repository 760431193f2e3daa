// SPDX-License-Identifier: Apache-2.0

internal import Operations

// What holds when a cancellation has returned.

extension Run {
  func cancelAll(_ queue: Int, _ actor: Actor?) {
    guard let queue = self.queue(queue, actor) else { return }
    // Inside of another cancellation the rest may be left to that.
    let judged = actor == nil ? [] : program.plans.indices.filter { hasMembers($0, in: queue) }
    queue.cancelAllOperations()
    for number in judged { judgeMarks(number) }
  }

  private func hasMembers(_ number: Int, in queue: OperationQueue) -> Bool {
    guard !program.plans[number].members.isEmpty, let owner = operations[number].object else {
      return false
    }
    return queue.operations.contains { $0 === owner }
  }

  /// The members of a cancelled group are marked, at every depth.
  func judgeMarks(_ number: Int) {
    let unmarked = unmarkedMembers(number)
    guard !unmarked.isEmpty else { return }
    // What has finished has no members, and what was finished before is not cancelled.
    guard let owner = operations[number].object, owner.isCancelled, !owner.isFinished else {
      return
    }
    fault("members \(unmarked) of \(number) are not cancelled although that is")
  }

  private func unmarkedMembers(_ number: Int) -> [Int] {
    guard program.plans[number].kind.isGroup else { return [] }
    return program.plans[number].members.flatMap { member -> [Int] in
      guard let operation = operations[member].object else { return [] }
      let nested = unmarkedMembers(member)
      let isUnmarked = !operation.isCancelled && !operation.isFinished
      // As above.
      if isUnmarked { return [member] + nested }
      return operation.isFinished ? [] : nested
    }
  }
}
