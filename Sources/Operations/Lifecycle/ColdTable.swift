// SPDX-License-Identifier: Apache-2.0

/// What few operations need: allocated on first use, guarded by the operation's edit lock.
@safe final class ColdTable {
  var name: String?
  var completionBlock: (@Sendable () -> Void)?
  /// Closures of a block operation beyond the first.
  var moreBlocks: [@Sendable () -> Void]?

  /// The closures of a block operation run one after another.
  var runsSerially = false
  /// What passes the results of dependencies in, in the order added, until the operation starts.
  var injections: [Injection]?
  /// The task that runs an asynchronous body, until it ends.
  var task: Task<Void, Never>?
  /// Called when an asynchronous operation is cancelled while it executes.
  var cancelHandler: (@Sendable () -> Void)?
  /// `cancel()` finishes an executing asynchronous operation.
  var finishesOnCancel = false
  /// The error with which an asynchronous operation ended.
  var error: (any Error)?

  /// Dependencies beyond the inline ones and hidden edges, in the order added.
  ///
  /// Those removed after registration stay until deinit.
  var records: [RecordPointer] = unsafe []
  /// How many of `records` were removed before registration.
  var withdrawn = 0
  /// Dependencies of a skipped operation that had not finished then and are not kept, by
  /// `EdgeLocation.key`.
  var released: [UInt: WeakOperation] = [:]
  /// Positions in `records` by dependency; kept once there are more than `indexThreshold` of them.
  var recordIndex: [UInt: Int] = [:]
  static let indexThreshold = 16
  /// Inline slots whose edge holds the operation back under the locked count; bit per slot.
  var blockingSlots: UInt8 = 0

  /// Locked count: edges whose finisher has not come through the lock, stale ones included.
  var edgesOutstanding = 0
  /// Locked count: edges that still hold the operation back.
  var edgesBlocking = 0
  /// Locked count: the operation is with the scheduler or in the ready list.
  var isOut = false

  /// What the operation takes when it starts.
  var needs: [ResourceNeed] = []
  /// It has what it needs.
  var holdsResources = false
  /// It was parked because there was too little; counts as one more edge that holds it back.
  var waitsForResources = false

  /// Handles that have not come back; meaningful once `StateBit.severalHandles` is set.
  var handles = 1
  /// A handle that only skips is out; it comes back when the operation has begun, so one is
  /// enough.
  var hasSkipJob = false
  /// Finished and reported as such while a handle is still out.
  var hasLeft = false
  /// The only handle that may start a moved operation: an extra job's address, or 0 for the
  /// operation's own header.
  var latestHandle: UInt = 0
  /// By level, the newest extra job that a change has put there and no worker has dropped; 0 when
  /// there is none.
  var places = InlineArray<5, UInt>(repeating: 0)
  /// The operation was parked, so its next hand-over is a new handle.
  var wasParked = false
  /// The operation's own header is in no list.
  var headerIsBack = false
  /// The slab node this façade stands for, or 0.
  var closureNode: UInt = 0
  /// The cell of a handle that was made for the operation, which is in the queue itself; 0 when
  /// there is none.
  var handleNode: UInt = 0
  /// When the body of an operation returned that goes on; `AsyncOperation` has a place of its own
  /// for it.
  var bodyReturned: UInt64 = 0
  /// `finish()` calls after the first.
  var surplusFinishes = 0

  /// What timed waits for the operation sleep on; made on first use, never replaced.
  var finishGate: FinishGate?
  /// Who observes the operation, and what they have not been told; made on first use, never
  /// replaced.
  var observation: ObservationLog?
  /// What must hold besides the dependencies before the operation may start.
  var conditions: [ReadinessCondition] = []
  /// 0…1; see `Operation.threadPriority`.
  var threadPriority = 0.5
  var service: ServiceReport?
  /// When it became ready, ns, in a queue whose events somebody takes; else 0.
  var readyTime: UInt64 = 0

  init() {}

  deinit {
    for index in unsafe records.indices {
      let record = unsafe records[index]
      // SAFETY: every list that named the record has been walked; see `Operation.deinit`.
      unsafe record.deinitialize(count: 1)
      unsafe record.deallocate()
    }
  }
}

/// Lists an operation without keeping it.
struct WeakOperation {
  weak var operation: Operation?
}
