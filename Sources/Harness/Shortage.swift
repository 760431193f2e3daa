// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// What the system does not give although a measuring child needs it.
package struct Shortage: Hashable, Sendable, CustomStringConvertible {
  /// What is short, with the number.
  package var finding: String
  /// What is needed.
  package var expectation: String
  /// What to raise.
  package var remedy: String

  /// Finding, expectation and remedy on one line.
  package var description: String { "\(finding); expected \(expectation); \(remedy)" }

  /// Tries what a child with that many workers will do: pipes to talk through, its threads, room
  /// for their stacks.
  ///
  /// A child inherits the limits of this process. Milliseconds; any thread.
  /// - Returns: the first thing that is short; nil when nothing is.
  package static func find(workers: Int) -> Shortage? {
    let pipes = shim_can_talk()
    if pipes != 0 {
      return Shortage(
        finding: "no file descriptors for a measuring process: \(errorText(pipes))",
        expectation: "18 or more", remedy: remedy(for: pipes) ?? "see errno \(pipes) in errno(3)")
    }
    // The main thread is there already; some watch over the process.
    let threads = workers + 4
    var started: Int32 = 0
    // SAFETY: the variable lives through the call.
    let error = unsafe shim_start_threads(Int32(clamping: threads), &started)
    if error != 0 {
      return Shortage(
        finding: "only \(started) threads can be started: \(errorText(error))",
        expectation: "\(threads) for \(workers) worker\(workers == 1 ? "" : "s")",
        remedy: remedy(for: error) ?? "take fewer with --workers")
    }
    let bytes = UInt64(256 + 9 * threads) << 20
    let room = shim_map_bytes(bytes)
    guard room != 0 else { return nil }
    return Shortage(
      finding: "no \(bytes >> 20) MiB of address space are left: \(errorText(room))",
      expectation: "that much for \(workers) worker\(workers == 1 ? "" : "s")",
      remedy: remedy(for: ENOMEM) ?? "take fewer with --workers")
  }

  /// What to raise when a call failed with that error number; nil when it tells of no shortage.
  package static func remedy(for error: Int32) -> String? {
    guard let limit = limit(for: error) else { return nil }
    return switch error {
    case EAGAIN, ENOMEM: limit + ", or take fewer with --workers"
    default: limit
    }
  }

  /// The same where the number of workers has no part in it.
  package static func limit(for error: Int32) -> String? {
    switch error {
    case EMFILE: "raise the limit with `ulimit -n 256`"
    case ENFILE: "the machine has too many files open; end other programs"
    case EAGAIN: "raise `ulimit -u`, or pids.max of the control group"
    case ENOMEM: "raise `ulimit -v`, or memory.max of the control group"
    default: nil
    }
  }
}
