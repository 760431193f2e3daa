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
    .library(name: "Scheduling", targets: ["Scheduling"]),
    .library(name: "DispatchBackend", targets: ["DispatchBackend"]),
    .library(name: "ThreadPoolBackend", targets: ["ThreadPoolBackend"]),
  ],
  targets: [
    .target(name: "CSystemShims"),
    room("Scheduling", imports: ["CSystemShims"]),
    room("ConcurrencyPrimitives", imports: ["CSystemShims"]),
    .target(name: "CDispatchShims"),
    room(
      "DispatchBackend",
      imports: ["Scheduling", "ConcurrencyPrimitives", "CSystemShims", "CDispatchShims"]),
    room("ThreadPoolBackend", imports: ["Scheduling", "ConcurrencyPrimitives", "CSystemShims"]),
    .target(
      name: "TestSupport", dependencies: ["Scheduling", "ConcurrencyPrimitives"],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    tests("SchedulingTests", imports: ["Scheduling", "ConcurrencyPrimitives", "TestSupport"]),
    tests(
      "SchedulerConformanceTests",
      imports: [
        "Scheduling", "ConcurrencyPrimitives", "DispatchBackend", "ThreadPoolBackend",
        "TestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
