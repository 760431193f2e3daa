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

/// Flags of OpenMP, for which SwiftPM has no setting; none unless the environment names the
/// library.
///
/// `scripts/bench` finds the folders. Without them the manifest has no unsafe flag, so that
/// packages may depend on this one by version.
let openMP: (compiler: [CSetting], linker: [LinkerSetting]) = {
  guard let include = Context.environment["BENCH_OPENMP_INCLUDE"],
    let library = Context.environment["BENCH_OPENMP_LIBRARY"]
  else { return ([], []) }
  return (
    [.unsafeFlags(["-fopenmp", "-idirafter", include], .when(traits: ["OpenMP"]))],
    [.unsafeFlags(["-L", library], .when(traits: ["OpenMP"]))]
  )
}()

/// One room: a Swift target under `Sources`.
func room(
  _ name: String, in folder: String = "Sources", imports: [Target.Dependency] = [],
  resources: [Resource]? = nil
) -> Target {
  .target(
    name: name, dependencies: imports, path: "\(folder)/\(name)", resources: resources,
    swiftSettings: strict)
}

/// A C target of the suite itself, under `Benchmarks`.
func cRoom(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: imports, path: "Benchmarks/\(name)")
}

/// A program that tests run, under `Tests`.
func fixture(_ name: String, imports: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: imports, path: "Tests/\(name)", swiftSettings: strict)
}

/// A test target under `Tests`.
func tests(_ name: String, imports: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: imports, swiftSettings: strict)
}

/// The built-in schedulers.
let backEnds: [Target.Dependency] = ["DispatchBackend", "ThreadPoolBackend", "WorkStealingBackend"]

/// The scheduler that needs oneTBB.
let oneTBBBackend: Target.Dependency = .target(
  name: "OneTBBBackend", condition: .when(traits: ["OneTBB"]))

let package = Package(
  name: "scheduler-bench",
  products: [
    "Operations", "OperationsDiagnosis", "Profiling", "OperationsFoundation", "Scheduling",
    "DispatchBackend", "ThreadPoolBackend", "WorkStealingBackend", "SchedulerConformance",
    "BenchmarkKit", "BenchmarkSuite",
  ].map { .library(name: $0, targets: [$0]) } + [.executable(name: "bench", targets: ["bench"])],
  traits: [
    .trait(
      name: "StaticAllocator",
      description: "Links jemalloc into bench instead of preloading it in children."),
    .trait(
      name: "OneTBB",
      description: "Adds oneTBB to bench, as a reference system and as a scheduler (libtbb-dev)."),
    .trait(
      name: "OpenMP",
      description: "Adds OpenMP to bench as a reference system (libomp-dev); see scripts/peers."),
  ],
  targets: [
    // What Swift cannot call directly.
    .target(
      name: "CSystemShims",
      cSettings: [.define("BENCH_STATIC_ALLOCATOR", .when(traits: ["StaticAllocator"]))]),
    .systemLibrary(
      name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
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
    room("OperationsDiagnosis", imports: ["Operations", "Scheduling"]),
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
    room("History", imports: ["Results", "Statistics"]),
    room("Encodings", imports: ["CZlib"]),
    room("Exports", imports: ["Encodings", "History", "Results", "Statistics"]),
    room(
      "Harness",
      imports: [
        "Scheduling", "CSystemShims",
        // Default builds link no allocator; see JemallocLibrary.
        .target(name: "CJemalloc", condition: .when(traits: ["StaticAllocator"])),
      ]),
    room("Machine", imports: ["CSystemShims", "Harness"]),
    room("TaskGraphFiles", imports: ["Traces"]),

    // Recordings of runs: what they say, and pictures of them.
    room("Traces", imports: ["Results", "Statistics"]),
    room(
      "Profiling",
      imports: [
        "CSystemShims", "ConcurrencyPrimitives", "Operations", "OperationsDiagnosis", "Results",
        "Scheduling", "Traces",
      ]),
    room(
      "TracePages", imports: ["Encodings", "Results", "Traces"], resources: [.embedInCode("Page")]),
    room("SuiteFiles"),
    room(
      "Measurement",
      imports: [
        "CSystemShims", "ConcurrencyPrimitives", "Harness", "Machine", "Results", "Scheduling",
        "Statistics", "TaskGraphFiles",
      ]),
    room(
      "BuildRecording", imports: ["CSystemShims", "Harness", "Measurement", "TaskGraphFiles"]),
    room("Revisions", imports: ["CSystemShims", "Harness", "Measurement", "Results"]),
    room("Analysis", imports: ["Results", "Statistics"]),
    room(
      "Certification",
      imports: [
        "ConcurrencyPrimitives", "Harness", "Machine", "Measurement", "Results", "Statistics",
      ]),
    room("Gate", imports: ["Results", "Statistics"]),
    room(
      "Counting",
      imports: [
        "CSystemShims", "Gate", "Harness", "Machine", "Measurement", "Results", "Scheduling",
        "Statistics",
      ]),
    room(
      "BenchmarkCLI",
      imports: [
        "Analysis", "BuildRecording", "Certification", "Counting", "CSystemShims", "Exports",
        "Gate", "Harness", "History", "Machine", "Measurement", "Results", "Revisions",
        "Scheduling", "Statistics", "SuiteFiles", "TaskGraphFiles", "TracePages", "Traces",
      ]),

    // The suite: what is measured, and the program.
    cRoom("CSlots"),
    cRoom("CKernels"),
    room(
      "Workloads", in: "Benchmarks",
      imports: [
        "CKernels", "CSlots", "ConcurrencyPrimitives", "Harness", "Operations", "Scheduling",
      ]),
    room(
      "Replay", in: "Benchmarks",
      imports: ["Operations", "Scheduling", "Harness", "TaskGraphFiles", "Traces", "Workloads"]),
    room("FoundationReference", in: "Benchmarks", imports: ["Harness", "Workloads"]),
    cRoom("CNativeGraph", imports: ["CKernels", "CSlots"]),
    room("NativeGraph", in: "Benchmarks", imports: ["CNativeGraph", "Harness", "Workloads"]),
    cRoom("CDispatchReference", imports: ["CNativeGraph"]),
    room(
      "DispatchReference", in: "Benchmarks",
      imports: ["CDispatchReference", "Harness", "NativeGraph", "Workloads"]),
    room(
      "SwiftTasksReference", in: "Benchmarks", imports: ["Harness", "NativeGraph", "Workloads"]),
    room(
      "FutexFloor", in: "Benchmarks", imports: ["ConcurrencyPrimitives", "Harness", "Workloads"]),

    // Peers that need a library: empty without their trait.
    .target(
      name: "COneTBBReference", dependencies: ["CNativeGraph"], path: "Benchmarks/COneTBBReference",
      cSettings: [.define("BENCH_ONETBB", .when(traits: ["OneTBB"]))],
      cxxSettings: [.define("BENCH_ONETBB", .when(traits: ["OneTBB"]))],
      linkerSettings: [.linkedLibrary("tbb", .when(traits: ["OneTBB"]))]),
    room(
      "OneTBBReference", in: "Benchmarks",
      imports: ["COneTBBReference", "Harness", "NativeGraph", "Workloads"]),
    .target(
      name: "COneTBBBackend", path: "Benchmarks/COneTBBBackend",
      cSettings: [.define("BENCH_ONETBB", .when(traits: ["OneTBB"]))],
      cxxSettings: [.define("BENCH_ONETBB", .when(traits: ["OneTBB"]))],
      linkerSettings: [.linkedLibrary("tbb", .when(traits: ["OneTBB"]))]),
    room("OneTBBBackend", in: "Benchmarks", imports: ["COneTBBBackend", "Scheduling"]),
    .target(
      name: "COpenMPReference", dependencies: ["CNativeGraph"], path: "Benchmarks/COpenMPReference",
      cSettings: [.define("BENCH_OPENMP", .when(traits: ["OpenMP"]))] + openMP.compiler,
      linkerSettings: [.linkedLibrary("omp", .when(traits: ["OpenMP"]))] + openMP.linker),
    room(
      "OpenMPReference", in: "Benchmarks",
      imports: ["COpenMPReference", "Harness", "NativeGraph", "Workloads"]),

    room(
      "BenchmarkKit", in: "Benchmarks",
      imports: [
        "BenchmarkCLI", "Harness", "Scheduling", "Workloads", "Replay", "Profiling", "Results",
        "Traces",
      ] + backEnds,
      resources: [.embedInCode("Suites")]),
    room(
      "BenchmarkSuite", in: "Benchmarks",
      imports: [
        "BenchmarkKit", "Harness", "Scheduling", "FoundationReference", "DispatchReference",
        "SwiftTasksReference", "FutexFloor",
        .target(name: "OneTBBReference", condition: .when(traits: ["OneTBB"])),
        oneTBBBackend,
        .target(name: "OpenMPReference", condition: .when(traits: ["OpenMP"])),
      ]),
    .executableTarget(
      name: "bench", dependencies: ["BenchmarkSuite"], path: "Benchmarks/bench",
      swiftSettings: strict),

    // Tests.
    room(
      "TestSupport", in: "Tests",
      imports: ["SchedulerConformance", "Scheduling", "ConcurrencyPrimitives"]),
    fixture(
      "MeasureChildFixture",
      imports: ["Harness", "Machine", "Measurement", "Results", "Scheduling"]),
    tests("SchedulingTests", imports: ["Scheduling", "ConcurrencyPrimitives", "TestSupport"]),
    tests("ConcurrencyPrimitivesTests", imports: ["ConcurrencyPrimitives", "TestSupport"]),
    fixture(
      "ConformanceFixture",
      imports: ["SchedulerConformance", "Scheduling", oneTBBBackend] + backEnds),
    .target(name: "CInjectedFaults", path: "Tests/CInjectedFaults"),
    fixture(
      "InjectedFaultsFixture",
      imports: [
        "CInjectedFaults", "SchedulerConformance", "Operations", "Scheduling",
        "ConcurrencyPrimitives", oneTBBBackend,
      ] + backEnds),
    tests(
      "SchedulerConformanceTests",
      imports: [
        "SchedulerConformance", "ConformanceFixture", "InjectedFaultsFixture", "Scheduling",
        "ConcurrencyPrimitives", "TestSupport", oneTBBBackend,
      ] + backEnds),
    tests(
      "WorkStealingBackendTests",
      imports: ["WorkStealingBackend", "Scheduling", "ConcurrencyPrimitives", "TestSupport"]),
    tests(
      "ThreadPoolBackendTests",
      imports: ["ThreadPoolBackend", "Scheduling", "ConcurrencyPrimitives", "TestSupport"]),
    tests(
      "DispatchBackendTests", imports: ["DispatchBackend", "Scheduling", "SchedulerConformance"]),
    tests(
      "OperationsTests",
      imports: [
        "Operations", "OperationsDiagnosis", "Scheduling", "ConcurrencyPrimitives", "TestSupport",
        "CSystemShims",
      ] + backEnds),
    room(
      "RandomPrograms", in: "Tests",
      imports: [
        "Operations", "OperationsDiagnosis", "OperationsFoundation", "Scheduling",
        "SchedulerConformance", "ConcurrencyPrimitives",
      ] + backEnds),
    fixture("RandomProgramsFixture", imports: ["Profiling", "RandomPrograms", "Traces"]),
    tests(
      "RandomProgramsTests",
      imports: ["RandomPrograms", "RandomProgramsFixture", "ConcurrencyPrimitives", "TestSupport"]),
    tests(
      "DifferentialTests",
      imports: [
        "Operations", "Scheduling", "ConcurrencyPrimitives", "RandomPrograms", "TestSupport",
      ]),
    tests("PluginTests", imports: ["Results"]),
    tests(
      "BenchmarkKitTests", imports: ["BenchmarkKit", "Harness", "Operations", "Scheduling"]),
    fixture(
      "CostFixture",
      imports: [
        "CSystemShims", "Operations", "OperationsDiagnosis", "Scheduling", "ConcurrencyPrimitives",
      ] + backEnds),
    fixture("WalkFixture", imports: ["Operations", "WorkStealingBackend"]),
    fixture("HandicappedFixture", imports: ["BenchmarkSuite", "Scheduling"]),
    fixture(
      "VerdictRatesFixture",
      imports: ["Analysis", "ConcurrencyPrimitives", "Results", "Statistics"]),
    fixture(
      "SoakFixture",
      imports: ["SchedulerConformance", "Scheduling", "ConcurrencyPrimitives"] + backEnds),
    fixture("MainQueueFixture", imports: ["OperationsFoundation"]),
    tests(
      "OperationsFoundationTests",
      imports: ["OperationsFoundation", "Scheduling", "MainQueueFixture", "TestSupport"] + backEnds),
    tests("FoundationStyleSwift6Tests", imports: ["OperationsFoundation"]),
    .testTarget(
      name: "FoundationStyleSwift5Tests", dependencies: ["OperationsFoundation"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    tests("FoundationAliasTests", imports: ["Operations", "Scheduling"]),
    tests("StatisticsTests", imports: ["Statistics"]),
    room("TestFolders", in: "Tests"),
    tests("ResultsTests", imports: ["ExportSamples", "Results", "Statistics", "TestFolders"]),
    tests("HistoryTests", imports: ["ExportSamples", "History", "Results", "TestFolders"]),
    room("ExportSamples", in: "Tests", imports: ["History", "Results", "Statistics"]),
    fixture(
      "ExportFixture", imports: ["Exports", "ExportSamples", "History", "Results", "Statistics"]),
    tests(
      "ExportsTests",
      imports: ["Encodings", "Exports", "ExportSamples", "History", "Results", "Statistics"]),
    room(
      "MeasurementFixtures", in: "Tests",
      imports: ["Harness", "Measurement", "Results", "Scheduling"]),
    tests("HarnessTests", imports: ["Harness", "Scheduling"]),
    tests("MachineTests", imports: ["Harness", "Machine"]),
    tests(
      "MeasurementTests",
      imports: [
        "Measurement", "Harness", "Machine", "MeasureChildFixture", "MeasurementFixtures",
        "Results", "Scheduling", "Statistics", "TestFolders",
      ]),
    fixture("RevisionsFixture", imports: ["Measurement", "Revisions"]),
    tests("RevisionsTests", imports: ["Measurement", "Results", "Revisions", "RevisionsFixture"]),
    tests(
      "AnalysisTests",
      imports: [
        "Analysis", "Harness", "Measurement", "MeasurementFixtures", "Results", "Statistics",
      ]),
    tests("GateTests", imports: ["Gate", "ConcurrencyPrimitives", "Results", "Statistics"]),
    fixture(
      "CountingFixture",
      imports: ["CSystemShims", "Harness", "Operations", "Scheduling"] + backEnds),
    tests(
      "CountingTests",
      imports: [
        "Counting", "CountingFixture", "Gate", "Harness", "Machine", "Measurement", "Results",
        "Scheduling",
      ]),
    tests(
      "CertificationTests",
      imports: [
        "Certification", "Harness", "Machine", "Measurement", "MeasurementFixtures", "Results",
        "Scheduling", "MeasureChildFixture",
      ]),
    tests("TaskGraphFilesTests", imports: ["TaskGraphFiles", "Traces"]),
    tests("TracesTests", imports: ["Traces", "Results", "Statistics", "TestFolders"]),
    tests(
      "ProfilingTests",
      imports: [
        "ConcurrencyPrimitives", "Harness", "Operations", "OperationsDiagnosis", "Profiling",
        "Scheduling", "SchedulerConformance", "TestFolders", "TestSupport", "Traces", "Workloads",
      ] + backEnds),
    room("TraceSamples", in: "Tests", imports: ["ConcurrencyPrimitives", "Traces"]),
    fixture("TracePagesFixture", imports: ["Results", "TracePages", "TraceSamples", "Traces"]),
    tests("TracePagesTests", imports: ["Encodings", "TracePages", "TraceSamples", "Traces"]),
    fixture("GateFixture", imports: ["BenchmarkCLI", "CSystemShims", "Harness", "Scheduling"]),
    tests(
      "BenchmarkCLITests",
      imports: [
        "BenchmarkCLI", "Analysis", "ConcurrencyPrimitives", "Counting", "ExportSamples", "Exports",
        "Gate", "GateFixture", "Harness", "History", "Measurement", "MeasurementFixtures",
        "Results", "Revisions", "Scheduling", "Statistics", "SuiteFiles", "TaskGraphFiles",
        "TestFolders", "Traces", "Workloads",
      ]),
    tests("SuiteFilesTests", imports: ["SuiteFiles"]),
    tests(
      "WorkloadsTests",
      imports: ["CKernels", "Workloads", "Harness", "Operations", "Results", "Scheduling"]
        + backEnds),
    tests(
      "ReplayTests",
      imports: ["Replay", "Harness", "Scheduling", "TaskGraphFiles", "WorkStealingBackend"]),
    tests(
      "ReferenceTests",
      imports: [
        "ConcurrencyPrimitives", "DispatchReference", "FutexFloor", "Harness", "NativeGraph",
        "SwiftTasksReference", "Workloads",
        .target(name: "OneTBBReference", condition: .when(traits: ["OneTBB"])),
        .target(name: "OpenMPReference", condition: .when(traits: ["OpenMP"])),
      ]),
    tests("FoundationReferenceTests", imports: ["FoundationReference", "Harness", "Workloads"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// BENCH_TEST_TARGETS=A,B leaves these test targets and what they need, for a build that takes half
// as long.
if let wanted = Context.environment["BENCH_TEST_TARGETS"] {
  var kept: Set<String> = []
  func keep(_ name: String) {
    guard let target = package.targets.first(where: { $0.name == name }) else {
      fatalError("BENCH_TEST_TARGETS: no target `\(name)`; expected names with commas between them")
    }
    guard kept.insert(name).inserted else { return }
    for case .byNameItem(let name, _) in target.dependencies { keep(name) }
    for case .targetItem(let name, _) in target.dependencies { keep(name) }
  }
  wanted.split(separator: ",").forEach { keep(String($0)) }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products = []
}
