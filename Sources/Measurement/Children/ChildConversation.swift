// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Harness

/// The orchestrator's half of one measurement: listens to a started child until it is gone, and reaps it.
///
/// Every exit of `hold` closes the pipes and leaves neither process nor zombie.
struct ChildConversation {
  private enum Ending { case alone, atDeadline, onRequest, rambling }

  private let child: shim_child
  private let interrupt: InterruptFlag?
  private var parser = ResultParser()
  private var standardError = TailBuffer(limit: ChildRunner.standardErrorLimit)
  private var resultsAreOpen = true
  private var errorsAreOpen = true
  private var chunk = [UInt8](repeating: 0, count: 65_536)

  init(child: shim_child, interrupt: InterruptFlag?) {
    self.child = child
    self.interrupt = interrupt
  }

  /// Listens until the child has ended by itself, or ends it.
  mutating func hold(deadline: Duration) -> MeasurementOutcome {
    let ending = listen(for: Stopwatch(limit: deadline))
    if ending != .alone { _ = kill(child.pid, SIGKILL) }
    // Blocks for moments only: the child has closed everything, as the kernel does on its way out, or was killed.
    let exit = shim_reap(child.pid, 1)
    // What it had written is in the pipes still.
    drain()
    close(child.results)
    close(child.errors)
    close(child.liveness)
    var outcome = parser.outcome
    outcome.failure = failure(ending: ending, exit: exit, deadline: deadline)
    return outcome
  }

  private mutating func listen(for stopwatch: Stopwatch) -> Ending {
    var stopwatch = stopwatch
    while true {
      let wait = stopwatch.nextWaitMilliseconds()
      guard wait > 0 else { return .atDeadline }
      let heard = shim_hear(
        resultsAreOpen ? child.results : -1, errorsAreOpen ? child.errors : -1, child.liveness,
        interrupt?.descriptor ?? -1, wait)
      if heard < 0 { return .rambling }
      if heard & Int32(SHIM_HEARD_RESULTS) != 0 { readResults() }
      if heard & Int32(SHIM_HEARD_ERRORS) != 0 { readErrors() }
      if heard & Int32(SHIM_HEARD_INTERRUPT) != 0 { return .onRequest }
      if heard & Int32(SHIM_HEARD_DEATH) != 0 { return .alone }
      if parser.complaint != nil { return .rambling }
    }
  }

  /// Reads one chunk; false when there was none, or no more will come.
  @discardableResult private mutating func readResults() -> Bool {
    // SAFETY: the array has room for `count` bytes and lives through the call.
    let count = unsafe shim_read_available(child.results, &chunk, UInt64(chunk.count))
    if count > 0 { parser.feed(chunk.prefix(Int(count))) }
    if count == 0 { resultsAreOpen = false }
    return count > 0
  }

  /// Reads one chunk; false when there was none, or no more will come.
  @discardableResult private mutating func readErrors() -> Bool {
    // SAFETY: as above.
    let count = unsafe shim_read_available(child.errors, &chunk, UInt64(chunk.count))
    if count > 0 { standardError.append(chunk.prefix(Int(count))) }
    if count == 0 { errorsAreOpen = false }
    return count > 0
  }

  /// Reads what a dead child left behind; bounded, since something that it started may hold a pipe open and write.
  private mutating func drain() {
    for _ in 0..<64 where resultsAreOpen { if !readResults() { break } }
    for _ in 0..<64 where errorsAreOpen { if !readErrors() { break } }
  }

  private func failure(
    ending: Ending, exit: shim_exit, deadline: Duration
  ) -> MeasurementFailure? {
    let output = standardError.text
    switch ending {
    case .onRequest: return .interrupted
    case .atDeadline: return .hung(deadline: deadline, standardError: output)
    case .alone, .rambling: break
    }
    // A signal to the whole group may have reached both; then the child's end is no crash.
    if interrupt?.isRaised == true { return .interrupted }
    if let complaint = parser.complaint {
      return .crashed(.incomprehensible(complaint), standardError: output)
    }
    if exit.state == 2 { return .crashed(.signalled(exit.number), standardError: output) }
    if exit.state == 1, exit.number != 0 {
      return parser.outcome.failure ?? .crashed(.exited(exit.number), standardError: output)
    }
    guard parser.isDone else {
      return .crashed(.incomprehensible("it ended before 'done'"), standardError: output)
    }
    return parser.outcome.failure ?? missingPart(output)
  }

  /// A complete measurement has a proven allocator and at least one iteration.
  private func missingPart(_ output: String) -> MeasurementFailure? {
    if parser.outcome.allocatorProof == nil {
      return .crashed(.incomprehensible("no proof of the allocator"), standardError: output)
    }
    if parser.outcome.iterations.isEmpty {
      return .crashed(.incomprehensible("no iteration"), standardError: output)
    }
    return nil
  }
}

/// Counts down a limit in the time during which this process could run.
struct Stopwatch {
  private var left: UInt64
  private var last = MonotonicClock.nanoseconds()
  /// Longest single wait; more than this between two calls means that the process was stopped.
  private static let step: UInt64 = 1_000_000_000

  init(limit: Duration) {
    let (seconds, attoseconds) = limit.components
    left = UInt64(clamping: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
  }

  /// How long to wait next, 0 when the limit is reached.
  mutating func nextWaitMilliseconds() -> Int32 {
    let now = MonotonicClock.nanoseconds()
    left -= min(left, min(now - last, Self.step + Self.step / 10))
    last = now
    return left == 0 ? 0 : Int32((min(left, Self.step) + 999_999) / 1_000_000)
  }
}

/// Keeps the end of a stream of bytes.
struct TailBuffer {
  private var bytes: [UInt8] = []
  private var dropped = false
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func append(_ more: ArraySlice<UInt8>) {
    bytes.append(contentsOf: more)
    if bytes.count > limit {
      bytes.removeFirst(bytes.count - limit)
      dropped = true
    }
  }

  /// The kept text, from the start of a line when something before it was dropped, without the last line feed.
  var text: String {
    var kept = bytes[...]
    if dropped, let end = kept.firstIndex(of: UInt8(ascii: "\n")) {
      kept = kept[(end + 1)...]
    }
    if kept.last == UInt8(ascii: "\n") { kept.removeLast() }
    return (dropped ? "…\n" : "") + String(decoding: kept, as: UTF8.self)
  }
}
