// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// The clock of every wall-clock figure: CLOCK_MONOTONIC, unaffected by changes of the date.
package enum MonotonicClock {
  /// Nanoseconds since an arbitrary fixed moment, the same for every process of the machine.
  ///
  /// Any thread. Costs some 25 ns where the kernel's vDSO serves the clock.
  package static func nanoseconds() -> UInt64 { shim_monotonic_ns() }
}

/// Makes the compiler believe that `word` is used, so that the work that produced it is not
/// removed.
package func blackHole(_ word: UInt) { shim_black_hole(word) }
