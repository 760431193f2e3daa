// SPDX-License-Identifier: Apache-2.0

import Harness
import Results
import Testing
import Workloads

@Suite struct CatalogTests {
  @Test func workloadsHaveTheseNamesInThisOrder() {
    #expect(
      WorkloadCatalog.all.map(\.name) == [
        "independent", "chain", "fan", "wavefront", "layered", "fork-join", "priority-mix",
        "cancel", "submit-latency", "independent-bodies", "independent-objects", "wavefront-work",
        "graph-chain", "graph-wavefront", "graph-layered", "fork-join-stack", "uts",
        "task-bench", "graph-task-bench", "metg", "cholesky", "lu", "matrix-multiply",
        "smith-waterman", "mergesort", "quicksort", "queens", "priority-levels", "deadline-mix",
        "qos-mix", "priority-inversion", "starvation", "priority-change", "cancel-running",
        "cancel-inside", "cancel-async", "cancel-waiting", "cancel-cascade", "cancel-share",
        "cancel-storm", "timeout-retry", "open-loop", "knee", "ping-pong", "producers", "actors",
        "limit", "barriers", "suspend-resume", "resources", "blocking", "async-closures",
        "pending", "churn",
      ])
  }

  @Test(arguments: [
    ("independent", "n:1000000"), ("chain", "n:100000"), ("fan", "rounds:200;width:1000"),
    ("wavefront", "n:512"), ("layered", "degree:3;layers:100;seed:42;width:1000"),
    ("fork-join", "n:30"), ("priority-mix", "flood:20000;samples:200"), ("cancel", "n:100000"),
    ("submit-latency", "samples:1000"), ("independent-bodies", "n:1000000"),
    ("independent-objects", "n:1000000"),
    ("wavefront-work", "body-ns:1000;n:256"), ("graph-chain", "n:100000"),
    ("graph-wavefront", "n:512"),
    ("graph-layered", "degree:3;layers:100;seed:42;width:1000"), ("fork-join-stack", "n:30"),
    (
      "uts",
      "branching:4;depth:10;m:4;q:0.234375;seed:19;shape:fixed;shift:0.5;tree:geometric"
    ),
  ])
  func realSizesAreThese(name: String, canonical: String) throws {
    let workload = try #require(WorkloadCatalog.all.first { $0.name == name })
    #expect(workload.parameters(at: .real).description == canonical)
  }

  @Test(arguments: [
    ("independent", AxisSize.real, 1_000_000), ("chain", .real, 100_000),
    ("fan", .real, 200 * 1002), ("wavefront", .real, 512 * 512), ("layered", .real, 100_000),
    ("fork-join", .quick, 17_711), ("cancel", .real, 100_000), ("priority-mix", .real, 20_200),
    ("submit-latency", .real, 1000), ("wavefront-work", .quick, 10_000), ("fan", .smoke, 66),
    ("wavefront", .smoke, 64),
    ("graph-layered", .real, 100_000), ("fork-join-stack", .quick, 17_711),
  ])
  func operationsAreCountedLikeThis(name: String, size: AxisSize, count: Int) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    let workload = try description.make(description.parameters(at: size))
    #expect(workload.operationsPerIteration == count)
  }

  @Test(arguments: WorkloadCatalog.all.map(\.name))
  func everyWorkloadSaysWhatItShowsAndWhatNot(name: String) throws {
    let workload = try #require(WorkloadCatalog.all.first { $0.name == name })
    #expect(!workload.summary.isEmpty && !workload.summary.contains("\n"))
    #expect(!workload.notShown.isEmpty && !workload.notShown.contains("\n"))
    #expect(!workload.tags.isEmpty && !workload.axes.isEmpty)
  }

  @Test func everyMetricIsOneOfTheRegistry() {
    for workload in WorkloadCatalog.all {
      #expect(workload.metrics.allSatisfy { Metric(rawValue: $0) != nil }, "\(workload.name)")
    }
  }

  /// What users filter by.
  @Test func tagsAreFromOneList() {
    let known: Set = [
      "throughput", "latency", "latency-bound", "dependency", "random", "closures",
      "graph", "priority", "cancellation", "fork-join", "blocking", "contention",
      "memory", "open-loop", "known-answer",
    ]
    for workload in WorkloadCatalog.all {
      #expect(known.isSuperset(of: workload.tags), "\(workload.name): \(workload.tags)")
    }
  }
}
