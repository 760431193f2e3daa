// SPDX-License-Identifier: Apache-2.0

/// What a thread of a scheduler did beside running operations.
package struct SchedulerEvent: Sendable, Equatable {
  package enum Kind: UInt8, Sendable, Equatable {
    /// The thread began to work for the scheduler.
    case start = 0
    /// It does so no more.
    case stop = 1
    /// It found nothing and looks round.
    case searchBegins = 2
    /// It has found something; without this a park follows.
    case searchEnds = 3
    /// It goes to sleep.
    case park = 4
    /// It runs again.
    case unpark = 5
    /// It wakes a thread; `other` is that thread, if it is known.
    case wake = 6
    /// It has taken a job from the worker `other`.
    case steal = 7
    /// It has tried in vain to take one from the worker `other`.
    case stealFails = 8
    /// A job in it blocks from here on.
    case blocks = 9
    /// The job goes on.
    case unblocks = 10
    /// A job that is no operation begins.
    case jobBegins = 11
    /// It ends.
    case jobEnds = 12
    /// It has waited for a processor, by the system's account: `other` is for how many nanoseconds,
    /// all of them since the event of this kind before. A longer wait takes several events.
    case waitedForProcessor = 13
  }

  package var time: Int64
  /// Index into `Trace.threads`.
  package var thread: Int32
  /// See `Kind`: an index into `Trace.threads`, a worker for `steal` and `stealFails`, nanoseconds
  /// for `waitedForProcessor`; -1 where nobody knows.
  package var other: Int32
  package var kind: Kind

  package init(time: Int64, thread: Int32, kind: Kind, other: Int32 = -1) {
    self.time = time
    self.thread = thread
    self.other = other
    self.kind = kind
  }
}

/// How the policy of a queue changed.
package struct QueueEvent: Sendable, Equatable {
  package enum Kind: UInt8, Sendable, Equatable {
    /// `value` is the new limit; -1 for none.
    case limit = 0
    /// `value` is 1 when it is suspended from here on, else 0.
    case suspension = 1
  }

  package var time: Int64
  /// Index into `Trace.queues`.
  package var queue: Int32
  package var value: Int32
  package var kind: Kind

  package init(time: Int64, queue: Int32, kind: Kind, value: Int32) {
    self.time = time
    self.queue = queue
    self.value = value
    self.kind = kind
  }
}
