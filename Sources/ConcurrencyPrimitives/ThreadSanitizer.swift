// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Whether this build reports data races and is therefore many times slower.
package enum ThreadSanitizer {
  /// True in a build with `--sanitize=thread`.
  package static var isActive: Bool { shim_is_thread_sanitized() != 0 }
}
