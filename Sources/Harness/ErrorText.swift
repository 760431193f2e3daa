// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The C library's text for an error number.
package func errorText(_ number: Int32) -> String {
  // SAFETY: strerror returns a terminated string; a number that it does not know gives one too.
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}
