// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The same strict settings for every room: strict memory safety, and in CI warnings are errors.
let strict: [SwiftSetting] =
  [
    .strictMemorySafety(),
    .define("BENCH_STATIC_ALLOCATOR", .when(traits: ["StaticAllocator"])),
  ]
  + (Context.environment["BENCH_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

/// One room: a Swift target under `Sources`.
func room(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: imports, swiftSettings: strict)
}

/// A Swift target of the suite itself, under `Benchmarks`.
func suiteRoom(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: imports, path: "Benchmarks/\(name)", swiftSettings: strict)
}

/// A test target under `Tests`.
func tests(_ name: String, imports: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: imports, swiftSettings: strict)
}

let package = Package(
  name: "scheduler-bench",
  products: [
    .library(name: "Operations", targets: ["Operations"]),
    .library(name: "OperationsFoundation", targets: ["OperationsFoundation"]),
    .library(name: "Scheduling", targets: ["Scheduling"]),
    .library(name: "DispatchBackend", targets: ["DispatchBackend"]),
    .library(name: "ThreadPoolBackend", targets: ["ThreadPoolBackend"]),
    .library(name: "WorkStealingBackend", targets: ["WorkStealingBackend"]),
    .library(name: "SchedulerConformance", targets: ["SchedulerConformance"]),
    .library(name: "BenchmarkSuite", targets: ["BenchmarkSuite"]),
    .executable(name: "bench", targets: ["bench"]),
  ],
  traits: [
    .trait(
      name: "StaticAllocator",
      description: "Links jemalloc into bench instead of preloading it in children.")
  ],
  targets: [
    // What Swift cannot call directly.
    .target(
      name: "CSystemShims",
      cSettings: [.define("BENCH_STATIC_ALLOCATOR", .when(traits: ["StaticAllocator"]))]),
    .systemLibrary(
      name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
    .target(name: "CDispatchShims"),

    // The runtime: jobs, threads, back ends, operations.
    room("ConcurrencyPrimitives", imports: ["CSystemShims"]),
    room("Scheduling", imports: ["CSystemShims"]),
    room(
      "DispatchBackend",
      imports: ["Scheduling", "ConcurrencyPrimitives", "CSystemShims", "CDispatchShims"]),
    room("ThreadPoolBackend", imports: ["Scheduling", "ConcurrencyPrimitives", "CSystemShims"]),
    room("WorkStealingBackend", imports: ["Scheduling", "ConcurrencyPrimitives", "CSystemShims"]),
    room("Operations", imports: ["Scheduling", "ConcurrencyPrimitives", "CSystemShims"]),
    .target(name: "CFoundationHook"),
    room(
      "OperationsFoundation",
      imports: [
        "Operations", "Scheduling", "DispatchBackend", "WorkStealingBackend", "CFoundationHook",
      ]),

    // What the author of a scheduler runs on it.
    room(
      "SchedulerConformance",
      imports: ["Operations", "Scheduling", "ConcurrencyPrimitives", "CSystemShims"]),

    // Figures: taking them, judging them, writing them down.
    room("Statistics"),
    room("Results", imports: ["Statistics"]),
    room(
      "Harness",
      imports: [
        "Scheduling", "CSystemShims",
        // Default builds link no allocator; see JemallocLibrary.
        .target(name: "CJemalloc", condition: .when(traits: ["StaticAllocator"])),
      ]),
    room("TaskGraphFiles"),
    room(
      "BenchmarkCLI",
      imports: [
        "CSystemShims", "ConcurrencyPrimitives", "Harness", "Results", "Scheduling", "Statistics",
        "TaskGraphFiles",
      ]),

    // The suite: what is measured, and the program.
    .target(name: "CSlots", path: "Benchmarks/CSlots"),
    suiteRoom("Workloads", imports: ["Operations", "Scheduling", "Harness", "CSlots"]),
    suiteRoom(
      "Replay",
      imports: ["Operations", "Scheduling", "Harness", "Statistics", "TaskGraphFiles", "Workloads"]),
    suiteRoom("FoundationReference", imports: ["Harness", "Workloads"]),
    suiteRoom(
      "BenchmarkSuite",
      imports: [
        "BenchmarkCLI", "Harness", "Scheduling", "DispatchBackend", "ThreadPoolBackend",
        "WorkStealingBackend", "Workloads", "Replay", "FoundationReference",
      ]),
    .executableTarget(
      name: "bench", dependencies: ["BenchmarkSuite"], path: "Benchmarks/bench",
      swiftSettings: strict),

    // Tests.
    .target(
      name: "TestSupport",
      dependencies: ["SchedulerConformance", "Scheduling", "ConcurrencyPrimitives"],
      path: "Tests/TestSupport", swiftSettings: strict),
    .executableTarget(
      name: "MeasureChildFixture", dependencies: ["Harness", "Scheduling"],
      path: "Tests/MeasureChildFixture", swiftSettings: strict),
    tests("SchedulingTests", imports: ["Scheduling", "ConcurrencyPrimitives", "TestSupport"]),
    tests("ConcurrencyPrimitivesTests", imports: ["ConcurrencyPrimitives", "TestSupport"]),
    .executableTarget(
      name: "ConformanceFixture",
      dependencies: [
        "SchedulerConformance", "Scheduling", "DispatchBackend", "ThreadPoolBackend",
        "WorkStealingBackend",
      ],
      path: "Tests/ConformanceFixture", swiftSettings: strict),
    tests(
      "SchedulerConformanceTests",
      imports: [
        "SchedulerConformance", "ConformanceFixture", "Scheduling", "ConcurrencyPrimitives",
        "DispatchBackend", "ThreadPoolBackend", "WorkStealingBackend", "TestSupport",
      ]),
    tests(
      "WorkStealingBackendTests",
      imports: ["WorkStealingBackend", "Scheduling", "ConcurrencyPrimitives", "TestSupport"]),
    tests(
      "OperationsTests",
      imports: [
        "Operations", "Scheduling", "ConcurrencyPrimitives", "DispatchBackend", "ThreadPoolBackend",
        "WorkStealingBackend", "TestSupport",
      ]),
    tests(
      "DifferentialTests",
      imports: [
        "Operations", "Scheduling", "ConcurrencyPrimitives", "DispatchBackend", "ThreadPoolBackend",
        "WorkStealingBackend", "TestSupport",
      ]),
    tests("PluginTests", imports: ["Results"]),
    .executableTarget(
      name: "MainQueueFixture", dependencies: ["OperationsFoundation"],
      path: "Tests/MainQueueFixture", swiftSettings: strict),
    tests(
      "OperationsFoundationTests",
      imports: [
        "OperationsFoundation", "DispatchBackend", "Scheduling", "MainQueueFixture", "TestSupport",
      ]),
    tests("FoundationStyleSwift6Tests", imports: ["OperationsFoundation"]),
    .testTarget(
      name: "FoundationStyleSwift5Tests", dependencies: ["OperationsFoundation"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    tests("FoundationAliasTests", imports: ["Operations", "Scheduling"]),
    tests("StatisticsTests", imports: ["Statistics"]),
    tests("ResultsTests", imports: ["Results", "Statistics"]),
    tests("HarnessTests", imports: ["Harness", "MeasureChildFixture"]),
    tests("TaskGraphFilesTests", imports: ["TaskGraphFiles", "Statistics"]),
    tests("BenchmarkCLITests", imports: ["BenchmarkCLI", "Harness", "Results", "Scheduling"]),
    tests(
      "WorkloadsTests",
      imports: [
        "Workloads", "Harness", "Scheduling", "DispatchBackend", "ThreadPoolBackend",
        "WorkStealingBackend",
      ]),
    tests(
      "ReplayTests",
      imports: ["Replay", "Harness", "Scheduling", "TaskGraphFiles", "WorkStealingBackend"]),
    tests("FoundationReferenceTests", imports: ["FoundationReference", "Harness", "Workloads"]),
  ],
  swiftLanguageModes: [.v6]
)
