// SPDX-License-Identifier: Apache-2.0

/// One operation as it was recorded.
///
/// Times are nanoseconds since the recording began; nil where no event tells. They rise in the
/// order of the properties, but for what the clocks of two threads are apart.
package struct TracedOperation: Sendable, Equatable {
  /// Where a worker found the job that started it.
  package enum Source: UInt8, Sendable, Equatable {
    /// Nobody knows, as with libdispatch.
    case unknown = 0
    /// The worker's own deque.
    case ownDeque = 1
    /// What all workers share, filled by other threads.
    case injector = 2
    /// Another worker's deque; `victim` says whose.
    case steal = 3
    /// The operation before it on this worker made it ready and handed it over.
    case successor = 4
    /// The thread that made it ready, or waited for it, ran it in place.
    case inline = 5
    /// The one queue of a scheduler that has one.
    case sharedQueue = 6
    /// What its operation queue had kept back, which has a limit.
    case readyList = 7
  }

  /// How it ended.
  package enum Outcome: UInt8, Sendable, Equatable {
    case unfinished = 0
    case finished = 1
    /// It was cancelled, whether or not its body ran.
    case cancelled = 2
    /// It ended with an error.
    case failed = 3
  }

  /// What kept an operation from its scheduler when its dependencies had finished.
  package enum Hold: UInt8, Sendable, Equatable {
    case none = 0
    /// A resource was used up.
    case resource = 1
    /// A condition was not met yet.
    case condition = 2
  }

  /// Index into `Trace.names`; 0 without a name.
  package var name: UInt32
  /// Index into `Trace.names`: its class, or `closure`.
  package var kind: UInt32
  /// Index into `Trace.queues`, or -1 outside of a queue.
  package var queue: Int32
  /// `QueuePriority.rawValue`, -8 to 8.
  package var priority: Int8
  package var source: Source
  package var outcome: Outcome
  package var heldBy: Hold
  /// The body did not run.
  package var isSkipped: Bool
  /// A barrier of its queue.
  package var isBarrier: Bool
  /// The operation that was running on the thread that made it, or -1.
  package var parent: Int32
  /// The predecessor whose finish made it ready, or -1.
  package var releasedBy: Int32
  /// Index into `Trace.threads` of the thread that ran it, or -1.
  package var thread: Int32
  /// The worker that it was stolen from, or -1.
  package var victim: Int32
  /// The processor on which it started, or -1.
  package var processor: Int32

  var createdTime: Int64
  var enqueuedTime: Int64
  var readyTime: Int64
  var admittedTime: Int64
  var startedTime: Int64
  var returnedTime: Int64
  var finishedTime: Int64
  var cancelRequestedTime: Int64

  package init(name: UInt32 = 0, kind: UInt32 = 0, queue: Int32 = -1, priority: Int8 = 0) {
    self.name = name
    self.kind = kind
    self.queue = queue
    self.priority = priority
    source = .unknown
    outcome = .unfinished
    heldBy = .none
    isSkipped = false
    isBarrier = false
    parent = -1
    releasedBy = -1
    thread = -1
    victim = -1
    processor = -1
    createdTime = .min
    enqueuedTime = .min
    readyTime = .min
    admittedTime = .min
    startedTime = .min
    returnedTime = .min
    finishedTime = .min
    cancelRequestedTime = .min
  }
}

extension TracedOperation {
  /// The object was made, or the closure was added.
  package var created: Int64? {
    get { Self.known(createdTime) }
    set { createdTime = newValue ?? .min }
  }
  /// It became a member of its queue.
  package var enqueued: Int64? {
    get { Self.known(enqueuedTime) }
    set { enqueuedTime = newValue ?? .min }
  }
  /// The last edge was resolved: nothing but policy and scheduler lies between it and its start.
  package var ready: Int64? {
    get { Self.known(readyTime) }
    set { readyTime = newValue ?? .min }
  }
  /// What `heldBy` names let it through; nil where nothing held it.
  package var admitted: Int64? {
    get { Self.known(admittedTime) }
    set { admittedTime = newValue ?? .min }
  }
  /// A thread began it.
  package var started: Int64? {
    get { Self.known(startedTime) }
    set { startedTime = newValue ?? .min }
  }
  /// `start()` returned and the operation went on without a thread; nil for synchronous ones.
  package var returned: Int64? {
    get { Self.known(returnedTime) }
    set { returnedTime = newValue ?? .min }
  }
  /// It finished.
  package var finished: Int64? {
    get { Self.known(finishedTime) }
    set { finishedTime = newValue ?? .min }
  }
  /// The first `cancel()`.
  package var cancelRequested: Int64? {
    get { Self.known(cancelRequestedTime) }
    set { cancelRequestedTime = newValue ?? .min }
  }

  private static func known(_ time: Int64) -> Int64? { time == .min ? nil : time }
}
