// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Memory aligned to 128 bytes, so that blocks of different threads never share a line or a
/// prefetched pair of lines.
package enum AlignedMemory {
  /// Bytes between fields that different threads write: two 64-byte lines, which x86 prefetches
  /// together.
  package static let separation = 128

  /// The address of `byteCount` bytes of zeros; stops the process when there is no memory.
  ///
  /// `alignment` is a power of two, 8 or more.
  package static func allocate(byteCount: Int, alignment: Int = separation) -> UInt {
    var block: UnsafeMutableRawPointer?
    // SAFETY: `block` is a valid place for the result; the alignment is a power of two and a
    // multiple of a word.
    let error = unsafe posix_memalign(&block, alignment, byteCount)
    guard error == 0, let block = unsafe block else {
      fatalError(
        "posix_memalign of \(byteCount) bytes failed with errno \(error); expected memory. "
          + "Submit fewer jobs at a time or raise the memory limit.")
    }
    // SAFETY: the block has `byteCount` bytes.
    unsafe memset(block, 0, byteCount)
    return UInt(bitPattern: block)
  }

  /// Frees what `allocate` returned.
  package static func free(_ address: UInt) {
    // SAFETY: the caller hands back an address of `allocate` that nobody uses any more.
    unsafe Glibc.free(UnsafeMutableRawPointer(bitPattern: address))
  }
}
