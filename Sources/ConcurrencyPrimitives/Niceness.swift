// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The niceness of threads: −20 (most favoured) … 19.
package enum Niceness {
  /// On Linux niceness belongs to the thread, whatever the name of the constant says; 0 is the
  /// calling one.
  private static let threads = __priority_which_t(PRIO_PROCESS.rawValue)

  package static var ofThisThread: Int { Int(getpriority(threads, 0)) }

  /// False when the system does not allow it.
  package static func setOfThisThread(_ niceness: Int) -> Bool {
    setpriority(threads, 0, Int32(niceness)) == 0
  }

  /// Whether a thread that was made nicer may become what it was.
  ///
  /// Tried on a thread of its own, since one that may not stays as it is.
  package static let canBePutBack: Bool = {
    let answer = Locked(false)
    let trial = try? SystemThread.start(name: "niceness") {
      let before = ofThisThread
      let works = setOfThisThread(before + 1) && setOfThisThread(before)
      answer.withLock { $0 = works }
    }
    trial?.join()
    return answer.withLock { $0 }
  }()
}
