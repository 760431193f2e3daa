// SPDX-License-Identifier: Apache-2.0

extension Step {
  /// What a step is, without what it concerns.
  package enum Name: String, Sendable, CaseIterable {
    case add, addAll, together, cancel, cancelAll, suspend, limit, prioritise, depend
    case undepend, finish, open, start, complete, wait, waitForQueue, list, finishNow, occupy
    case cancelAndFinish, main, require, guardBy, openGate, observe, observeQueue, events
    case onFinish, await, awaitQueue, handle, addBlock, drop, dropQueue, name, quality, retain
    case queueQuality, invalidate, report, set, join, limitGroup, suspendGroup, inject, look
    case pause, pauseForQueue, startNow, finishThrowing, both, each, blocking, validate, move
    case run, runAndWait, cancelRun, pauseForRun, fork, meet, handOut, takeOver, cancelOwner, fresh
  }

  package var name: Name {
    switch self {
    case .add: .add
    case .addAll: .addAll
    case .together: .together
    case .cancel: .cancel
    case .cancelAll: .cancelAll
    case .suspend: .suspend
    case .limit: .limit
    case .prioritise: .prioritise
    case .depend: .depend
    case .undepend: .undepend
    case .finish: .finish
    case .open: .open
    case .start: .start
    case .complete: .complete
    case .wait: .wait
    case .waitForQueue: .waitForQueue
    case .list: .list
    case .finishNow: .finishNow
    case .occupy: .occupy
    case .cancelAndFinish: .cancelAndFinish
    case .main: .main
    case .require: .require
    case .guardBy: .guardBy
    case .openGate: .openGate
    case .observe: .observe
    case .observeQueue: .observeQueue
    case .events: .events
    case .onFinish: .onFinish
    case .await: .await
    case .awaitQueue: .awaitQueue
    case .handle: .handle
    case .addBlock: .addBlock
    case .drop: .drop
    case .dropQueue: .dropQueue
    case .name: .name
    case .retain: .retain
    case .quality: .quality
    case .queueQuality: .queueQuality
    case .invalidate: .invalidate
    case .report: .report
    case .set: .set
    case .join: .join
    case .limitGroup: .limitGroup
    case .suspendGroup: .suspendGroup
    case .inject: .inject
    case .look: .look
    case .pause: .pause
    case .pauseForQueue: .pauseForQueue
    case .startNow: .startNow
    case .finishThrowing: .finishThrowing
    case .both: .both
    case .each: .each
    case .blocking: .blocking
    case .validate: .validate
    case .move: .move
    case .run: .run
    case .runAndWait: .runAndWait
    case .cancelRun: .cancelRun
    case .pauseForRun: .pauseForRun
    case .fork: .fork
    case .meet: .meet
    case .handOut: .handOut
    case .takeOver: .takeOver
    case .cancelOwner: .cancelOwner
    case .fresh: .fresh
    }
  }

  /// The steps that it is made of.
  package var inner: [Step] {
    switch self {
    case .together(let steps), .each(_, let steps): steps
    case .both(let first, let second): first + second
    default: []
    }
  }

  /// Itself and the steps that it is made of, to any depth.
  package var flattened: [Step] { [self] + inner.flatMap(\.flattened) }

  /// The same with other steps in the parts of a fork.
  func mappingInner(_ change: ([Step]) -> [Step]) -> Step {
    switch self {
    case .each(let count, let steps): .each(count, change(steps))
    case .both(let first, let second): .both(change(first), change(second))
    default: self
    }
  }

  /// A body may run because of it.
  var mayRunBodies: Bool {
    switch self {
    case .add, .addAll, .start, .startNow, .main, .cancel, .cancelAll, .cancelAndFinish, .join,
      .finishNow, .finishThrowing, .invalidate, .run, .runAndWait, .fork, .cancelOwner, .fresh:
      true
    default: inner.contains(where: \.mayRunBodies)
    }
  }
}
