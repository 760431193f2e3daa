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
    let cell = memberWord
    for enclosing in enclosures where enclosing.operation != 0 {
      guard enclosing.operation == word || enclosing.operation == cell else { continue }
      if enclosing.place == .owner {
        Fault.waitOnSelf(self, style, from: "what belongs to it")
      }
      // Something else may finish an asynchronous one while an operation above it waits.
      if enclosing.isInnermost { Fault.waitOnSelf(self, style, from: "its own body") }
      if !isAsynchronous { Fault.waitOnOuter(self, style, of: enclosures[0].nameOfOperation) }
    }
  }

  /// Stops the process if this operation is in the queue of one that waits for it and cannot start
  /// before that has ended: it needs the only slot, or stands behind a barrier that is not older.
  final func stopIfHeldBackByWaiter(
    _ style: WaitStyle, _ enclosures: @autoclosure () -> [Enclosing]
  ) {
    guard let queue = queueIfUnstarted() else { return }
    let waiting = enclosures().filter { $0.queue === queue && $0.isMember }
    if !waiting.isEmpty, isBehindBarrier { Fault.waitBehindBarrier(self, queue, style) }
    let places = waiting.filter(\.isExecuting).map(\.place)
    guard !places.isEmpty, queue.admission.limit == 1, !needsNoSlot else { return }
    if places == [.mainThread] { Fault.waitFromMainThread(self, queue, style) }
    Fault.waitFromOnlySlot(self, queue, style)
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
      let place =
        switch enclosing.place {
        case .body: "one of its operations, \(enclosing.nameOfOperation)"
        case .completionBlock:
          "a completion block of one of its operations, \(enclosing.nameOfOperation)"
        case .owner: "what belongs to one of its operations, \(enclosing.nameOfOperation)"
        case .mainThread: "the main thread, which runs its operations"
        }
      Fault.waitForOwnQueue(self, style, from: place)
    }
  }
}
