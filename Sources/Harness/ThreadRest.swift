// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Waits until the other threads of this process sleep, so that whoever runs next has the machine.
enum ThreadRest {
  private static let nap: UInt32 = 100
  /// Longer than any pool here spins before it parks, also where eight others want every CPU.
  private static let limitNanoseconds: UInt64 = 2_000_000_000

  /// Looks at the states of the threads, with naps of 0.1 ms between.
  ///
  /// A thread that spins counts as awake even while others keep it from its CPU. Throws when one is
  /// awake after 2 s still.
  static func await() throws(ChildFailure) {
    let start = MonotonicClock.nanoseconds()
    while true {
      let awake = shim_awake_threads()
      if awake == 0 { return }
      guard MonotonicClock.nanoseconds() - start < limitNanoseconds else {
        throw .unavailable(
          "busy-while-idle",
          awake < 0
            ? "the states of its threads in /proc cannot be read"
            : "\(awake) of its threads run on with nothing to do; expected them to sleep while "
              + "another contestant is measured; `bench run` measures contestants in processes of "
              + "their own")
      }
      usleep(nap)
    }
  }
}
