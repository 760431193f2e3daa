// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The system calls on folders that this room needs, each with values in and values out.
///
/// The only file of the room with pointers. Any thread.
enum FolderCalls {
  /// Makes a link that leads to the path; errno, 0 when it is there.
  static func link(_ path: String, to target: String) -> Int32 {
    // SAFETY: the strings live for the call; their pointers are not kept.
    unsafe symlink(target, path) == 0 ? 0 : errno
  }

  /// Gives a file or folder another name on the same file system; errno, 0 when it has it.
  static func move(_ path: String, to name: String) -> Int32 {
    // SAFETY: the strings live for the call; their pointers are not kept.
    unsafe rename(path, name) == 0 ? 0 : errno
  }

  /// Makes a file as new as one that was written just now; no error when that fails.
  static func touch(_ path: String) {
    // SAFETY: the string lives for the call; no times means now.
    _ = unsafe utimensat(AT_FDCWD, path, nil, 0)
  }

  /// When a file was written last, in nanoseconds since 1970; nil when there is none.
  static func age(_ path: String) -> Int? {
    var status = stat()
    // SAFETY: both pointers live for the call and are not kept.
    guard unsafe stat(path, &status) == 0 else { return nil }
    return status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
  }
}
