// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Harness
package import Measurement
internal import Results

/// Keeps processes apart that use the same thing, which a file stands for: many may use it, one at
/// a time changes it.
///
/// So many may run a built revision, and one at a time builds or removes it.
/// The kernel gives the lock up when the last process that holds it has ended, however it ended. A
/// build holds it as well, so that what outlives its parent is still known to be at work.
package final class FileLock: Sendable {
  /// How the lock is held.
  package enum Kind { case shared, alone }

  /// The open lock file.
  let descriptor: Int32
  private let path: String

  /// Takes a lock of that kind; nil when others hold one that forbids it.
  static func attempt(_ path: String, _ kind: Kind) throws(RevisionFailure) -> FileLock? {
    while true {
      let lock = try FileLock(path)
      guard try lock.take(kind) else {
        lock.release()
        return nil
      }
      // Whoever held it before may have removed the file with what it stood for.
      if lock.isCurrent { return lock }
      lock.release()
    }
  }

  /// Waits for a lock of that kind.
  ///
  /// - Parameters:
  ///   - interrupt: ends the waiting.
  ///   - waits: called once, when others hold it.
  package static func wait(
    _ path: String, _ kind: Kind, interrupt: InterruptFlag?, waits: () -> Void
  ) throws(RevisionFailure) -> FileLock {
    var hasWaited = false
    while true {
      if interrupt?.isRaised == true { throw .interrupted }
      if let lock = try attempt(path, kind) { return lock }
      if !hasWaited { waits() }
      hasWaited = true
      _ = shim_hear(-1, -1, -1, interrupt?.descriptor ?? -1, 100)
    }
  }

  private init(_ path: String) throws(RevisionFailure) {
    self.path = path
    // SAFETY: the string lives for the call.
    descriptor = unsafe shim_open_lock(path)
    guard descriptor >= 0 else {
      throw .folder(path, "cannot be opened: \(errorText(-descriptor))")
    }
  }

  private func take(_ kind: Kind) throws(RevisionFailure) -> Bool {
    let error = shim_try_lock(descriptor, kind == .alone ? 1 : 0)
    guard error == 0 || error == EWOULDBLOCK else {
      throw .folder(path, "cannot be locked: \(errorText(error))")
    }
    return error == 0
  }

  private var isCurrent: Bool {
    // SAFETY: the string lives for the call.
    unsafe shim_is_at(descriptor, path) != 0
  }

  /// Gives it up; once.
  func release() { close(descriptor) }

  /// Gives it up, held alone, with its file: what it stood for is gone.
  package func releaseWithFile() {
    // Where that fails the file stays, which keeps nobody out.
    try? File.delete(path)
    release()
  }
}
