// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The same strict settings for every room: strict memory safety, and in CI warnings are errors.
let strict: [SwiftSetting] =
  [.strictMemorySafety()]
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
    .library(name: "Scheduling", targets: ["Scheduling"])
  ],
  targets: [
    .target(name: "CSystemShims"),
    room("Scheduling"),
    room("Harness", imports: ["Scheduling", "CSystemShims"]),
    .target(name: "CSlots", path: "Benchmarks/CSlots"),
    suiteRoom("Workloads", imports: ["Operations", "Scheduling", "Harness", "CSlots"]),
    suiteRoom(
      "Replay",
      imports: ["Operations", "Scheduling", "Harness", "Statistics", "TaskGraphFiles", "Workloads"]),
    suiteRoom("FoundationReference", imports: ["Harness", "Workloads"]),
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
