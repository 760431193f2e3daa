// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Runs a program of the system, such as git or swift, to its end.
///
/// It has an empty standard input, a process group of its own and nothing inherited, so that Ctrl-C
/// reaches it through this process alone. Any thread, which must not end meanwhile.
package enum ExternalProgram {
  /// How a program ended and what it wrote.
  package struct Outcome: Sendable {
    /// Its exit code, 128 and the number of the signal that ended it, or 127 when it could not be
    /// started.
    package var code: Int32
    /// The end of its standard output.
    package var output = ""
    /// The end of both its streams, in the order in which it came.
    package var transcript = ""
    /// True when the user asked to stop before the end.
    package var isInterrupted = false
    /// Why it could not be started, an errno; nil for one that was.
    package var startError: Int32?

    /// The first line of its standard output; empty when it failed.
    package var firstLine: String {
      code == 0 ? String(output.prefix { $0 != "\n" }) : ""
    }
  }

  /// How many bytes of the end of each stream are kept where nobody says how many.
  package static let usualLimit = 1 << 22

  /// Runs it and waits, also for whatever it started that still writes to its streams.
  ///
  /// A program that is interrupted gets SIGINT with its group, and SIGKILL when something of it is
  /// still there after the patience.
  /// - Parameters:
  ///   - words: its name, found in PATH, and its arguments.
  ///   - changes: lines `KEY=VALUE` (set) or `KEY` (remove) over this process's environment.
  ///   - kept: a descriptor of 10 or more that it and its own children keep open; nil for none.
  ///   - interrupt: ends it early.
  ///   - patience: time to clean up behind itself once it is interrupted.
  ///   - limit: how many bytes of the end of each stream are kept; `Int.max` for all of them.
  package static func run(
    _ words: [String], environment changes: [String] = [], keeping kept: Int32? = nil,
    interrupt: InterruptFlag? = nil, patience: Duration = .seconds(10), limit: Int = usualLimit
  ) -> Outcome {
    shim_keep_zombies()
    let text = Array(words.flatMap { Array($0.utf8) + [0] }).map(CChar.init(bitPattern:))
    // SAFETY: both texts live through the call, which copies what it keeps.
    let program = unsafe shim_start_program(
      text, UInt64(text.count), changes.joined(separator: "\n"), kept ?? -1)
    guard program.error == 0 else { return Outcome(code: 127, startError: program.error) }
    var streams = Streams(program, limit: limit)
    var outcome = Outcome(code: 0)
    if !streams.hear(interrupt: interrupt, limit: nil) {
      outcome.isInterrupted = true
      _ = kill(-program.pid, SIGINT)
      if !streams.hear(interrupt: nil, limit: patience) {
        _ = kill(-program.pid, SIGKILL)
        _ = streams.hear(interrupt: nil, limit: .seconds(10))
      }
    }
    let exit = shim_reap(program.pid, 1)
    outcome.code = exit.state == 1 ? exit.number : 128 + exit.number
    outcome.output = streams.output.text
    outcome.transcript = streams.transcript.text
    return outcome
  }

  /// The reading ends of a program's streams.
  private struct Streams: ~Copyable {
    var output: TailBuffer
    var transcript: TailBuffer
    private var descriptors: [Int32]
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    init(_ program: shim_program, limit: Int) {
      output = TailBuffer(limit: limit)
      transcript = TailBuffer(limit: limit)
      descriptors = [program.output, program.errors]
    }

    deinit { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }

    /// Reads until both are at their end, which is true, or the interrupt or the limit comes first.
    mutating func hear(interrupt: InterruptFlag?, limit: Duration?) -> Bool {
      var stopwatch = Stopwatch(limit: limit ?? .seconds(Int64.max / 2_000_000_000))
      while descriptors != [-1, -1] {
        let wait = stopwatch.nextWaitMilliseconds()
        guard wait > 0 else { return false }
        let heard = shim_hear(descriptors[0], descriptors[1], -1, interrupt?.descriptor ?? -1, wait)
        if heard < 0 || heard & Int32(SHIM_HEARD_INTERRUPT) != 0 { return false }
        if heard & Int32(SHIM_HEARD_RESULTS) != 0 { read(0) }
        if heard & Int32(SHIM_HEARD_ERRORS) != 0 { read(1) }
      }
      return true
    }

    private mutating func read(_ stream: Int) {
      // SAFETY: the array has room for `count` bytes and lives through the call.
      let count = unsafe shim_read_available(descriptors[stream], &chunk, UInt64(chunk.count))
      if count > 0 {
        if stream == 0 { output.append(chunk.prefix(Int(count))) }
        transcript.append(chunk.prefix(Int(count)))
      } else if count != -Int64(EAGAIN) {
        close(descriptors[stream])
        descriptors[stream] = -1
      }
    }
  }
}
