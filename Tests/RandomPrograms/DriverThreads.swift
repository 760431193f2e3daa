// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc

/// The threads that take the steps of programs: a body that runs on one of them must not wait for
/// what only they let go.
enum DriverThreads {
  private static let known = Locked<[UInt]>([])

  /// The calling thread is one from now on.
  static func note() {
    let thread = UInt(pthread_self())
    known.withLock { $0.append(thread) }
  }

  static var isCurrent: Bool {
    let thread = UInt(pthread_self())
    return known.withLock { $0.contains(thread) }
  }
}
