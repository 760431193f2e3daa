// SPDX-License-Identifier: Apache-2.0

// Waits that would never return, found before they begin (contract 62, 100, 101). Page: Waiting.md.

/// How a wait for an operation is made, for messages.
enum WaitStyle: String {
  case blocking = "waitUntilFinished() on"
  case suspending = "await finished() on"

  /// How the same wait for a queue is made.
  var forQueue: String {
    self == .blocking ? "waitUntilAllOperationsAreFinished() on" : rawValue
  }
}

extension Operation {
  /// Stops the process if what waits cannot end before this operation has, and the other way round.
  final func stopIfPartOfWaiter(_ style: WaitStyle, _ enclosures: [Enclosing]) {
    guard !enclosures.isEmpty else { return }
    let words = [word, memberWord]
    for (depth, enclosing) in enclosures.enumerated() where words.contains(enclosing.operation) {
      if enclosing.place == .owner {
        Fault.waitOnSelf(self, style, from: "what belongs to it")
      }
      if depth == 0 { Fault.waitOnSelf(self, style, from: "its own body") }
      // Something else may finish an asynchronous one while an operation above it waits.
      if isAsynchronous { continue }
      let top = enclosures[0].nameOfOperation
      Fault.waitOnSelf(self, style, from: "its own body, where \(top) runs on top of it,")
    }
  }

  /// Stops the process if this operation is in the queue of one that waits for it and cannot start
  /// before that has ended: it needs the only slot, or stands behind a barrier that is not older.
  final func stopIfHeldBackByWaiter(
    _ style: WaitStyle, _ enclosures: @autoclosure () -> [Enclosing]
  ) {
    guard let queue = queueIfUnstarted() else { return }
    let waiting = enclosures().filter { $0.queue === queue && $0.isMember }
    if !waiting.isEmpty, isBehindBarrier { Fault.wait(style, self, heldBackBy: .barrier, queue) }
    let holders = waiting.filter(\.isExecuting)
    // That thread alone skips what needs no slot.
    if holders.contains(where: { $0.place == .mainThread }) {
      Fault.wait(style, self, heldBackBy: .mainThread, queue)
    }
    guard !holders.isEmpty, queue.admission.limit == 1, !needsNoSlot else { return }
    Fault.wait(style, self, heldBackBy: .onlySlot, queue)
  }

  /// As both for `await`: only the body whose part runs here is held up.
  final func stopIfEndlessToAwait() {
    guard !isSealed else { return }
    let enclosures = ThreadRecord.current.enclosuresOfTask
    stopIfPartOfWaiter(.suspending, enclosures)
    stopIfHeldBackByWaiter(.suspending, enclosures)
  }
}

extension OperationQueue {
  /// Stops the process if the queue cannot become empty before what waits for it has ended.
  func stopIfWaitedForByMember(_ enclosures: [Enclosing], _ style: WaitStyle) {
    for enclosing in enclosures where enclosing.queue === self && enclosing.isMember {
      let name = enclosing.place == .mainThread ? "" : ", \(enclosing.nameOfOperation)"
      Fault.waitForOwnQueue(self, style, from: enclosing.place.rawValue + name)
    }
  }
}
