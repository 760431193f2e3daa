// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations
import Synchronization

/// What one run has seen of one operation; any thread.
final class Facts: Sendable {
  // Sequentially consistent throughout: what is judged is the order in which things happened.
  let runs = Atomic<Int>(0)
  /// Runs of further blocks, and how many blocks it may have.
  let extraRuns = Atomic<Int>(0)
  let extraBlocks: Atomic<Int>
  /// Tickets of the beginning and the end of the body; 0 for neither.
  let begun = Atomic<Int>(0)
  let ended = Atomic<Int>(0)
  let completions = Atomic<Int>(0)
  /// First attempts of a retry.
  let attempts = Atomic<Int>(0)
  /// The queue inside of something that a body has added it to from there.
  let owner = Locked<InnerQueue?>(nil)
  /// The queue inside of something that its body runs in.
  let inner = Locked<InnerQueue?>(nil)
  /// It was added to a group that was cancelled before.
  let isBarred = Atomic<Bool>(false)
  /// Calls of `onFinish` handlers, and how many were handed in.
  let told = Atomic<Int>(0)
  let handlers = Atomic<Int>(0)
  /// Changes of `isFinished` that an observer saw.
  let finishes = Atomic<Int>(0)
  /// A held operation may end, and has begun.
  let mayEnd = Atomic<Bool>(false)
  let isHeld = Atomic<Bool>(false)
  /// The queue that counts it as under way, plus one.
  let place = Atomic<Int>(0)
  /// A closure or a barrier has been added.
  let isAdded = Atomic<Bool>(false)
  /// Something that may run it was called.
  let isTouched = Atomic<Bool>(false)
  /// Somebody may start it: it was added, started or made part of something.
  let isGiven = Atomic<Bool>(false)
  /// It was told to finish before anything could start it.
  let isEndedEarly = Atomic<Bool>(false)
  /// `finish(throwing:)` was called before anything could end it.
  let hasSureError = Atomic<Bool>(false)
  /// Of an operation that is a run of a graph.
  let graph: GraphFacts
  /// A completion block, an observer were there before anything could run it.
  let hasSureBlock = Atomic<Bool>(false)
  let hasSureObserver = Atomic<Bool>(false)
  /// Seen by the dependents' bodies without further synchronisation.
  nonisolated(unsafe) var written = 0
  let handle = Locked<OperationHandle?>(nil)

  init(_ plan: Plan) {
    graph = GraphFacts(plan.graph, round: 1)
    extraBlocks = Atomic(plan.extraBlocks)
  }
}

/// A reference that keeps nothing alive.
final class Weak<Object: AnyObject>: @unchecked Sendable {
  /// Written before the run begins.
  private(set) weak var object: Object?
  init(_ object: Object?) { self.object = object }
}

/// What is counted of one queue.
final class QueueFacts: Sendable {
  /// Bodies of its own operations under way.
  let running = Atomic<Int>(0)
  /// Barriers under way.
  let barriers = Atomic<Int>(0)
}
