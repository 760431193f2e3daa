// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Counts what malloc and its kin give in this process, to all threads, without exception.
///
/// It takes jemalloc without caches of threads, which is slower than with them: a process that
/// counts measures no time. Any thread.
enum AllocationCounter {
  /// Bytes of one of the allocations that prove the counter.
  private static let provenBytes: UInt64 = 64

  /// How many allocations are counted when a fresh thread asks for `wanted`.
  ///
  /// - Throws: `unavailable` where nothing can be counted.
  static func counted(_ wanted: Int) throws(ChildFailure) -> Int {
    var counted = shim_allocations()
    // SAFETY: the variable lives through the call.
    let error = unsafe shim_allocations_counted(UInt64(wanted), provenBytes, &counted)
    guard error == 0 else {
      throw .unavailable(
        "allocation-counter",
        error == -1
          ? "allocations cannot be counted; expected jemalloc with tcache:false in MALLOC_CONF"
          : "allocations cannot be counted without a second thread")
    }
    return Int(clamping: counted.count)
  }
}
