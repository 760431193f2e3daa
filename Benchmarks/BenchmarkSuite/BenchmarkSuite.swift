// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkCLI
internal import DispatchBackend
internal import DispatchReference
internal import FoundationEssentials
internal import FoundationReference
internal import FutexFloor
internal import Glibc
internal import Harness
internal import Replay
public import Scheduling
internal import SwiftTasksReference
internal import ThreadPoolBackend
internal import WorkStealingBackend
internal import Workloads

/// The whole suite as one call: the built-in schedulers and workloads, and whatever a program adds.
public enum BenchmarkSuite {
  /// Runs the program `bench` with further schedulers and ends the process with its exit code.
  ///
  /// Call it on the main thread, first thing in the program: measurements run in children that are the same program
  /// started again, so the call must come before anything that is to happen once.
  /// - Parameter schedulers: a name of lower-case letters, digits and hyphens that no other scheduler has, and what
  ///   makes a scheduler with the given number of workers. An illegal or double name ends the process with exit 64.
  public static func main(
    adding schedulers: [(name: String, make: @Sendable (_ workers: Int) -> any Scheduler)] = []
  ) -> Never {
    var entries = builtInSchedulers + OptionalPeers.schedulers
    for added in schedulers {
      guard isLegal(added.name), !entries.contains(where: { $0.name == added.name }) else {
        refuse(added.name)
      }
      entries.append(
        SchedulerEntry(name: added.name, summary: "plugged in by this program", make: added.make))
    }
    let suite = Suite(
      schedulers: entries, workloads: WorkloadCatalog.all,
      references: [.foundation, .swiftTasks, .dispatchNative, .dispatchSwift]
        + OptionalPeers.references + [.futexFloor],
      absences: OptionalPeers.absences,
      replay: { assignment throws(WorkloadError) in try GraphReplay.workload(for: assignment) })
    exit(
      CommandLineTool.run(
        arguments: Array(CommandLine.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment,
        suite: suite))
  }

  private static let builtInSchedulers: [SchedulerEntry] = [
    SchedulerEntry(name: "dispatch", summary: "libdispatch, one item per job") {
      DispatchScheduler(workers: $0)
    },
    SchedulerEntry(name: "thread-pool", summary: "pthreads on one banded queue under a lock") {
      ThreadPoolScheduler(workers: $0)
    },
    SchedulerEntry(name: "work-stealing", summary: "Chase–Lev deques, one per worker and band") {
      WorkStealingScheduler(workers: $0)
    },
    SchedulerEntry(
      name: "inline", summary: "runs on the submitting thread: the serial baseline", fixedWorkers: 1
    ) { _ in InlineScheduler() },
  ]

  private static func isLegal(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  private static func refuse(_ name: String) -> Never {
    Console.standard.say(
      "BenchmarkSuite.main(adding:): the scheduler name \"\(name)\" is taken or illegal; expected a new name of "
        + "lower-case letters, digits and hyphens; rename the scheduler")
    exit(64)
  }
}
