// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkCLI
internal import DispatchBackend
internal import FoundationEssentials
internal import Glibc
package import Harness
internal import Replay
public import Scheduling
internal import ThreadPoolBackend
internal import WorkStealingBackend
internal import Workloads

/// The suite without other systems, as one call: the built-in schedulers and workloads, and
/// whatever a program adds.
public enum Benchmarks {
  /// Runs the program `bench` with further workloads and schedulers and ends the process with its
  /// exit code.
  ///
  /// Call it on the main thread, first thing in the program: measurements run in children that are
  /// the same program started again, so the call must come before anything that is to happen once.
  /// - Parameters:
  ///   - workloads: programs of yours; each has a name that no other workload has.
  ///   - schedulers: a name of lower-case letters, digits and hyphens that no other scheduler has,
  ///     and what makes a scheduler with the given number of workers.
  ///   - tunable: further schedulers, with knobs.
  ///
  /// An illegal or double name of a workload, an axis, a scheduler or a knob ends the process with
  /// exit 64.
  public static func main(
    workloads: [BenchmarkWorkload] = [],
    schedulers: [(name: String, make: @Sendable (_ workers: Int) -> any Scheduler)] = [],
    tunable: [TunableScheduler] = []
  ) -> Never {
    run(Additions(workloads: workloads, schedulers: schedulers, tunable: tunable))
  }

  /// Other systems that are measured beside ours.
  package struct OtherSystems: Sendable {
    /// Systems measured whole.
    package var references: [ReferenceDescription]
    /// Schedulers that need a library.
    package var schedulers: [SchedulerEntry]
    /// What this build lacks.
    package var absences: [AbsentSystem]

    /// Other systems; see the properties.
    package init(
      references: [ReferenceDescription], schedulers: [SchedulerEntry], absences: [AbsentSystem]
    ) {
      self.references = references
      self.schedulers = schedulers
      self.absences = absences
    }

    /// None: this program depends on `BenchmarkKit` alone.
    static let none = OtherSystems(
      references: [], schedulers: [],
      absences: ["foundation", "swift-tasks", "dispatch-native", "dispatch-swift", "futex-floor"]
        .map { name in
          AbsentSystem(
            name: name, isReference: true, needs: "the product BenchmarkSuite",
            remedy: "let this program depend on BenchmarkSuite and call BenchmarkSuite.main")
        })
  }

  /// As `main`, beside other systems.
  package static func run(_ additions: Additions, beside others: OtherSystems = .none) -> Never {
    var suite = Suite(
      schedulers: builtInSchedulers + others.schedulers, workloads: WorkloadCatalog.all,
      references: others.references, absences: others.absences,
      replay: { assignment throws(WorkloadError) in try GraphReplay.workload(for: assignment) },
      record: RunRecording.record, selections: ShippedSuites.all)
    do throws(AdditionError) {
      try additions.add(to: &suite)
    } catch {
      Console.standard.say("Benchmarks.main: \(error.message)")
      exit(64)
    }
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
}
