// SPDX-License-Identifier: Apache-2.0

/// The recording of one run: what every operation, worker and queue did, and when.
///
/// A plain value. Indices are dense, so that analyses use arrays. Times are nanoseconds since the
/// recording began. What no event told is nil or `unknown`, never 0.
package struct Trace: Sendable, Equatable {
  /// What was recorded, on what, with which clock.
  package var header: TraceHeader
  /// Every text that the recording names by index; the first is empty.
  package var names: [String]
  /// Threads in the order of their first event.
  package var threads: [TraceThread]
  /// Queues in the order of their first event.
  package var queues: [TraceQueue]
  /// Operations; an operation's id is its index.
  package var operations: [TracedOperation]
  /// What waits for what, in the order in which the edges were recorded.
  package var edges: [TraceEdge]
  /// What the threads of the scheduler did beside running operations, by time.
  package var schedulerEvents: [SchedulerEvent]
  /// How the queues' policies changed, by time.
  package var queueEvents: [QueueEvent]
  /// Boundaries that the program or the harness set, by time.
  package var marks: [TraceMark]

  /// An empty recording.
  package init(header: TraceHeader) {
    self.header = header
    names = [""]
    threads = []
    queues = []
    operations = []
    edges = []
    schedulerEvents = []
    queueEvents = []
    marks = []
  }
}

/// What a recording is of.
package struct TraceHeader: Sendable, Equatable {
  /// How much was recorded.
  package enum Detail: UInt8, Sendable, Equatable {
    /// Ready, start and finish of operations alone.
    case latency = 0
    /// Everything.
    case full = 1
  }
  /// What the times were read from.
  package enum Clock: UInt8, Sendable, Equatable {
    /// `CLOCK_MONOTONIC`.
    case monotonic = 0
    /// The processor's time-stamp counter, invariant, calibrated at both ends.
    case timeStampCounter = 1
  }

  /// The scheduler's id, such as `work-stealing`.
  package var scheduler: String
  /// Threads that may run operation bodies at a time; compensation is not counted.
  package var workers: Int
  /// The workload, graph or program.
  package var workload: String
  /// Its parameters as in the CSV: `n:100;seed:42`.
  package var parameters: String
  package var detail: Detail
  package var clock: Clock
  /// Difference between the two calibrations of the clock over the whole recording, ns.
  package var clockDriftNanoseconds: Int64
  /// How far clocks of two threads may be apart at most, ns; -1 where nobody knows.
  package var clockSkewNanoseconds: Int64
  /// Length of the recording, ns.
  package var durationNanoseconds: Int64
  /// Events that were overwritten before anybody read them.
  package var droppedEvents: Int
  /// Events that the fullest ring would have needed room for, to drop none.
  package var neededRingEvents: Int

  package init(
    scheduler: String = "", workers: Int = 1, workload: String = "", parameters: String = "",
    detail: Detail = .full, clock: Clock = .monotonic, durationNanoseconds: Int64 = 0
  ) {
    self.scheduler = scheduler
    self.workers = workers
    self.workload = workload
    self.parameters = parameters
    self.detail = detail
    self.clock = clock
    clockDriftNanoseconds = 0
    clockSkewNanoseconds = 0
    self.durationNanoseconds = durationNanoseconds
    droppedEvents = 0
    neededRingEvents = 0
  }
}

/// A thread that has recorded something.
package struct TraceThread: Sendable, Equatable {
  /// Index of the worker, 0 ..< workers; compensation threads have higher ones; -1 for threads that
  /// are no workers.
  package var worker: Int32
  /// The system's number of the thread, or 0.
  package var systemID: Int32
  /// Index into `names`.
  package var name: UInt32

  package init(worker: Int32, systemID: Int32 = 0, name: UInt32 = 0) {
    self.worker = worker
    self.systemID = systemID
    self.name = name
  }
}

/// A queue of operations that has recorded something.
package struct TraceQueue: Sendable, Equatable {
  /// Index into `names`.
  package var name: UInt32
  /// `maxConcurrentOperationCount` when the recording began; nil without a limit.
  package var limit: Int32?
  /// Suspended when the recording began.
  package var isSuspended: Bool

  package init(name: UInt32 = 0, limit: Int32? = nil, isSuspended: Bool = false) {
    self.name = name
    self.limit = limit
    self.isSuspended = isSuspended
  }
}

/// One operation waits for another.
package struct TraceEdge: Sendable, Equatable {
  /// What an edge stands for.
  package enum Kind: UInt8, Sendable, Equatable {
    /// `addDependency`.
    case dependency = 0
    /// The successor came behind a barrier, or the barrier behind the predecessor.
    case barrier = 1
  }
  /// Indices into `operations`.
  package var predecessor: UInt32
  package var successor: UInt32
  package var kind: Kind

  package init(_ predecessor: UInt32, _ successor: UInt32, _ kind: Kind = .dependency) {
    self.predecessor = predecessor
    self.successor = successor
    self.kind = kind
  }
}

/// A boundary in time.
package struct TraceMark: Sendable, Equatable {
  package var time: Int64
  /// Index into `names`.
  package var name: UInt32

  package init(time: Int64, name: UInt32) {
    self.time = time
    self.name = name
  }
}
