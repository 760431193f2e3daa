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

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    recorder.begin()
    recorder.built()
    for _ in 0..<operationsPerIteration * turns { shim_keep_order() }
    recorder.ran()
    recorder.released()
  }
}

/// `bench` with one workload, whose cost stands behind the last byte of the executable.
///
/// So a script that copies it can stand in for the compiler, and the copies differ as builds of
/// different commits do.
@main enum GateFixture {
  private static let mark = Data("\nturns=".utf8)

  /// 1000 where nobody has written anything there.
  private static func turns() -> Int {
    guard let program = try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/exe")),
      let size = try? program.seekToEnd(),
      (try? program.seek(toOffset: size - min(size, 32))) != nil,
      let tail = try? program.readToEnd(), let place = tail.range(of: mark, options: .backwards)
    else { return 1000 }
    return Int(String(decoding: tail[place.upperBound...], as: UTF8.self)) ?? 1000
  }

  static func main() {
    let turns = turns()
    let suite = Suite(
      schedulers: [
        SchedulerEntry(name: "inline", summary: "on the submitting thread", fixedWorkers: 1) { _ in
          InlineScheduler()
        }
      ],
      workloads: [
        WorkloadDescription(
          name: "turning", summary: "turns", notShown: "anything real", tags: [],
          axes: [Axis(name: "n", summary: "size", smoke: 1, quick: 1, real: 1, legal: 1...2)]
        ) { _ throws(WorkloadError) in Turning(turns: turns) }
      ])
    exit(
      CommandLineTool.run(
        arguments: Array(CommandLine.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment, suite: suite))
  }
}
