// SPDX-License-Identifier: Apache-2.0

public import BenchmarkKit
internal import DispatchReference
internal import FoundationReference
internal import FutexFloor
internal import Harness
public import Scheduling
internal import SwiftTasksReference

/// The whole suite as one call: what `Benchmarks.main` has, and the systems of `--reference`.
public enum BenchmarkSuite {
  /// Runs the program `bench` with further schedulers and workloads and ends the process with its
  /// exit code.
  ///
  /// As `Benchmarks.main`, which says more, beside other systems. They are compiled for it.
  public static func main(
    adding schedulers: [(name: String, make: @Sendable (_ workers: Int) -> any Scheduler)] = [],
    tunable: [TunableScheduler] = [], workloads: [BenchmarkWorkload] = []
  ) -> Never {
    Benchmarks.run(
      Additions(workloads: workloads, schedulers: schedulers, tunable: tunable),
      beside: Benchmarks.OtherSystems(
        references: [.foundation, .swiftTasks, .dispatchNative, .dispatchSwift]
          + OptionalPeers.references + [.futexFloor],
        schedulers: OptionalPeers.schedulers, absences: OptionalPeers.absences))
  }
}

/// A scheduler with knobs.
public typealias TunableScheduler = BenchmarkKit.TunableScheduler
