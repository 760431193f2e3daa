// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A line that goes to standard error when the process dies of a signal: where the programs were.
package enum CrashNote {
  private static let capacity = 512
  // SAFETY: written by the thread that takes the steps and read by a handler that tolerates half a
  // line.
  nonisolated(unsafe) private static let line: UnsafeMutablePointer<CChar> = {
    let line = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    unsafe line.initialize(repeating: 0, count: capacity)
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] {
      _ = Glibc.signal(signal) { number in
        let length = unsafe strlen(CrashNote.line)
        _ = unsafe write(STDERR_FILENO, CrashNote.line, length)
        // Dies of the same signal.
        _ = Glibc.signal(number, SIG_DFL)
        raise(number)
      }
    }
    return unsafe line
  }()

  /// What to write from now on.
  package static func set(_ text: String) {
    unsafe text.withCString { source in
      _ = unsafe strncpy(line, source, capacity - 1)
    }
  }
}
