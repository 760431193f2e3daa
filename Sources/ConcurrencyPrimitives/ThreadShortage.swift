// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Asking the system again for a thread that it has refused and that nothing goes on without.
///
/// One value per need, on the thread that asks.
package struct ThreadShortage {
  /// Pauses so far; pause k lasts 2^k milliseconds.
  private var pauses: UInt32 = 0

  /// About two seconds in all.
  private static let limit: UInt32 = 11

  /// A shortage that has just been noticed.
  package init() {}

  /// Waits longer than the last time; stops the process when that has been in vain often enough.
  package mutating func wait(after refusal: SystemThreadError, _ place: @autoclosure () -> String) {
    guard pauses < Self.limit else {
      fatalError(
        "\(place()): jobs wait, no thread can run them, and for two seconds the system gave no other. \(refusal)"
      )
    }
    // Cut short by a signal it asks a little earlier.
    usleep(1_000 << pauses)
    pauses += 1
  }
}
