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
  /// Call it on the main thread, first thing in the program: measurements run in children that are
  /// the same program started again, so the call must come before anything that is to happen once.
  /// - Parameters:
  ///   - schedulers: a name of lower-case letters, digits and hyphens that no other scheduler has,
  ///     and what makes a scheduler with the given number of workers.
  ///   - tunable: further schedulers, with knobs.
  ///
  /// An illegal or double name of a scheduler or of a knob ends the process with exit 64.
  public static func main(
    adding schedulers: [(name: String, make: @Sendable (_ workers: Int) -> any Scheduler)] = [],
    tunable: [TunableScheduler] = []
  ) -> Never {
    let plain = schedulers.map { added in
      TunableScheduler(name: added.name, knobs: []) { workers, _ in added.make(workers) }
    }
    var suite = Suite(
      schedulers: builtInSchedulers + OptionalPeers.schedulers, workloads: WorkloadCatalog.all,
      references: [.foundation, .swiftTasks, .dispatchNative, .dispatchSwift]
        + OptionalPeers.references + [.futexFloor],
      absences: OptionalPeers.absences,
      replay: { assignment throws(WorkloadError) in try GraphReplay.workload(for: assignment) },
      record: RunRecording.record, selections: ShippedSuites.all)
    for added in plain + tunable { suite.schedulers.append(entry(added, in: suite)) }
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
    SchedulerEntry(
      name: "thread-pool", summary: "pthreads on one banded queue under a lock",
      knobs: ThreadPoolConfiguration.knobs
    ) { workers, settings throws(KnobError) in
      ThreadPoolScheduler(workers: workers, configuration: try .init(settings))
    },
    SchedulerEntry(
      name: "work-stealing", summary: "Chase–Lev deques, one per worker and band",
      knobs: WorkStealingConfiguration.knobs,
      check: { settings throws(KnobError) in _ = try WorkStealingConfiguration(settings) }
    ) { workers, settings throws(KnobError) in
      WorkStealingScheduler(workers: workers, configuration: try .init(settings))
    },
    SchedulerEntry(
      name: "inline", summary: "runs on the submitting thread: the serial baseline",
      fixedWorkers: 1, isSerialBaseline: true
    ) { _ in InlineScheduler() },
  ]

  /// The entry of a scheduler that a program adds; ends the process when a name is illegal or
  /// taken.
  private static func entry(_ added: TunableScheduler, in suite: Suite) -> SchedulerEntry {
    guard isLegal(added.name), suite.scheduler(named: added.name) == nil else {
      refuse(
        "the scheduler name \"\(added.name)\" is taken or illegal; expected a new name of lower-case "
          + "letters, digits and hyphens; rename the scheduler")
    }
    var taken = suite.namesTaken
    for knob in added.knobs where !taken.insert(knob.name).inserted {
      refuse(
        "the knob \"\(knob.name)\" of \(added.name) has the name of another knob, an axis or a "
          + "parameter; expected a name that means nothing else; rename the knob")
    }
    return SchedulerEntry(name: added.name, summary: added.summary, knobs: added.knobs) {
      workers, settings throws(KnobError) in
      added.make(workers, settings.completed(by: added.knobs))
    }
  }

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

  private static func refuse(_ finding: String) -> Never {
    Console.standard.say("BenchmarkSuite.main(adding:tunable:): \(finding)")
    exit(64)
  }
}
