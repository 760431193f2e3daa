// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// The threads of this process, as the system counts them.
package enum ProcessThreads {
  /// How many there are now.
  package static var count: Int {
    var bytes = [UInt8](repeating: 0, count: 4096)
    // SAFETY: the array has room for `count` bytes and lives through the call.
    let count = unsafe shim_read_file("/proc/self/status", &bytes, UInt64(bytes.count))
    let text = String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Threads:") }
    guard let number = line?.split(whereSeparator: { $0 == ":" || $0 == "\t" }).last,
      let threads = Int(number)
    else {
      fatalError("/proc/self/status names no number of threads; the kit needs Linux's /proc.")
    }
    return threads
  }
}
