// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// A run-time checker that this build carries, which makes it many times slower and larger.
package enum Sanitizer: Int32 {
  /// Finds misuse of memory, and keeps freed memory for a while.
  case address = 1
  /// Finds data races.
  case thread = 2

  /// The one of this build, if it has one.
  package static var active: Sanitizer? { Sanitizer(rawValue: shim_sanitizer()) }
}
