// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkCLI
internal import CSystemShims
internal import Foundation
internal import Harness
internal import Scheduling

/// Operations that each turn so often, as the program is told by its own last line.
struct Turning: Workload {
  let operationsPerIteration = 100
  let turns: Int
  /// The file that makes the process crash as soon as it is there; nil for none.
  let fuse: String?

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    if let fuse, FileManager.default.fileExists(atPath: fuse) { abort() }
    recorder.begin()
    recorder.built()
    for _ in 0..<operationsPerIteration * turns { shim_keep_order() }
    recorder.ran()
    recorder.released()
  }
}

/// `bench` with one workload, whose cost stands behind the last byte of the executable; the word
/// `fragile` after it lets the child crash once there is a file `crash` in `TMPDIR`, and `larger`
/// is for a program with another workload.
///
/// So a script that copies it can stand in for the compiler, and the copies differ as builds of
/// different commits do.
@main enum GateFixture {
  private static let mark = Data("\nturns=".utf8)

  /// The words behind the executable; none where nobody has written anything there.
  private static func words() -> [Substring] {
    guard let program = try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/exe")),
      let size = try? program.seekToEnd(),
      (try? program.seek(toOffset: size - min(size, 32))) != nil,
      let tail = try? program.readToEnd(), let place = tail.range(of: mark, options: .backwards)
    else { return [] }
    return String(decoding: tail[place.upperBound...], as: UTF8.self).split(separator: " ")
  }

  static func main() {
    let words = words()
    let turns = words.first.flatMap { Int($0) } ?? 1000
    let fuse =
      words.contains("fragile")
      ? ProcessInfo.processInfo.environment["TMPDIR"].map { "\($0)/crash" } : nil
    let suite = Suite(
      schedulers: [
        SchedulerEntry(name: "inline", summary: "on the submitting thread", fixedWorkers: 1) { _ in
          InlineScheduler()
        }
      ],
      workloads: (["turning"] + (words.contains("larger") ? ["added"] : [])).map { name in
        WorkloadDescription(
          name: name, summary: "turns", notShown: "anything real", tags: [],
          axes: [Axis(name: "n", summary: "size", smoke: 1, quick: 1, real: 1, legal: 1...2)]
        ) { _ throws(WorkloadError) in Turning(turns: turns, fuse: fuse) }
      })
    exit(
      CommandLineTool.run(
        arguments: Array(CommandLine.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment, suite: suite))
  }
}
