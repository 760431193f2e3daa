// SPDX-License-Identifier: Apache-2.0

public import CSystemShims

/// The slot of a thread in which a work-stealing pool keeps the worker that runs there.
///
/// There is one slot per thread in the process, for one type of object: every user must name the
/// same `Worker`.
@usableFromInline package struct WorkerSlot<Worker: AnyObject & Sendable>: Sendable {
  /// The slot, for objects of type `Worker`.
  @inlinable package init() {}

  /// Fills the calling thread's slot; the caller keeps `worker` alive until it empties the slot.
  package func set(_ worker: Worker?) {
    guard let worker else { return shim_set_worker(nil) }
    unsafe shim_set_worker(Unmanaged.passUnretained(worker).toOpaque())
  }

  /// Runs `body` with the calling thread's worker; nil when the slot is empty.
  ///
  /// One thread-local load; no reference counting.
  @inlinable @inline(__always) package func with<Result>(_ body: (Worker) -> Result) -> Result? {
    guard let worker = unsafe shim_get_worker() else { return nil }
    // SAFETY: the slot holds a `Worker` by the contract of the type, alive while it is in the slot.
    return unsafe Unmanaged<Worker>.fromOpaque(worker)._withUnsafeGuaranteedRef { body($0) }
  }
}
