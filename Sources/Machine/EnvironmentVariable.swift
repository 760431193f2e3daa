// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads the variables that the process was started with.
package enum EnvironmentVariable {
  /// The variable's value; nil when it is not set.
  ///
  /// Any thread, as long as nobody changes the environment.
  package static func value(of name: String) -> String? {
    // SAFETY: getenv returns null or a terminated string that lives until the variable is changed.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
