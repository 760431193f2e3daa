// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import ConcurrencyPrimitives

/// Tells on stderr what fails, at once, and what runs, when nothing has been told for a while.
///
/// The thread that runs the checks.
final class Progress: Sendable {
  private let name: String
  private let interval: Duration
  private let write: @Sendable (String) -> Void
  private let state = Locked(State())

  private struct State: Sendable {
    var current = ""
    var begun: UInt64 = 0
    /// When the next line is due unless one is written before.
    var due: UInt64 = 0
  }

  /// Nil when the options ask for silence.
  init?(_ options: SchedulerConformance.Options) {
    guard options.writesProgress else { return nil }
    name = options.name
    interval = options.progressInterval
    write = options.takesProgress ?? Self.writeToStandardError
    state.withLock { $0.due = MonotonicTime.deadline(after: interval) }
  }

  /// When somebody should `remind`.
  var due: UInt64 { state.withLock { $0.due } }

  /// A check begins.
  func begin(_ check: Check, workers: Int) {
    let current = "\(check.claim), \(CheckResult.inWords([workers]))"
    state.withLock { state in
      state.current = current
      state.begun = MonotonicTime.nanoseconds()
    }
    remind([])
  }

  /// Names the check that runs, and what it waits for, if a line is due.
  func remind(_ activity: [String]) {
    let now = MonotonicTime.nanoseconds()
    let (current, begun, due) = state.withLock { ($0.current, $0.begun, $0.due) }
    guard now >= due else { return }
    let place = activity.isEmpty ? "" : ", waiting for " + activity.joined(separator: " and for ")
    let seconds = (now - begun) / 1_000_000_000
    tell("running\(seconds > 0 ? " for \(seconds) s" : ""): \(current)\(place)")
  }

  /// A check has ended; tells what it found.
  func end(_ result: CheckResult) {
    guard let first = result.findings.first else { return }
    let names = result.check.statements.map(\.name).joined(separator: ", ")
    let others = result.findings.count > 1 ? " (and \(result.findings.count - 1) more)" : ""
    let claim = "\(result.check.claim), \(CheckResult.inWords([result.workers]))"
    tell("FAILED \(names): \(claim): \(first.text)\(others)")
  }

  private func tell(_ line: String) {
    write("SchedulerConformance: \(name): \(line)")
    state.withLock { $0.due = MonotonicTime.deadline(after: interval) }
  }

  /// A line that cannot be written is lost; the run goes on.
  private static func writeToStandardError(_ line: String) {
    _ = unsafe shim_write_text(2, line + "\n")
  }
}
