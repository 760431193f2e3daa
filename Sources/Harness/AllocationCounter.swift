// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Counts what malloc and its kin give in this process, to all threads, without exception.
///
/// It takes jemalloc without caches of threads, which is slower than with them: a process that
/// counts measures no time. Any thread.
enum AllocationCounter {
  /// What was given: calls, and bytes in the allocator's size classes.
  struct Count: Equatable, Sendable {
    var calls: UInt64 = 0
    var bytes: UInt64 = 0

    static func - (late: Count, early: Count) -> Count {
      Count(calls: late.calls - early.calls, bytes: late.bytes - early.bytes)
    }

    static func + (some: Count, more: Count) -> Count {
      Count(calls: some.calls + more.calls, bytes: some.bytes + more.bytes)
    }
  }

  /// Bytes of one of the allocations that prove the counter.
  private static let provenBytes: UInt64 = 64

  /// Everything given so far; allocates nothing itself.
  ///
  /// Only where the counter is proven, which `counted` does: elsewhere the process ends.
  static func now() -> Count {
    var given = shim_allocations()
    // SAFETY: the variable lives through the call.
    guard unsafe shim_allocations_now(&given) == 0 else {
      fatalError("AllocationCounter: read before it is proven")
    }
    return Count(calls: given.count, bytes: given.bytes)
  }

  /// Refuses counts of a process in which another allocator takes its memory past malloc.
  ///
  /// Behind the iterations: oneTBB loads its own with the first block.
  static func requireMallocAlone() throws(ChildFailure) {
    // SAFETY: the text lives through the call.
    guard unsafe shim_is_loaded("libtbbmalloc") == 0 else {
      throw .unavailable(
        "own-allocator",
        "allocations cannot be counted: oneTBB's allocator, libtbbmalloc, is in the process and "
          + "takes its memory past malloc; expected malloc alone")
    }
  }

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
