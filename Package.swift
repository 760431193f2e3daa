// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The same strict settings for every room: strict memory safety, and in CI warnings are errors.
let strict: [SwiftSetting] =
  [.strictMemorySafety()]
  + (Context.environment["BENCH_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

/// One room: a Swift target under `Sources`.
func room(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: imports,
    swiftSettings: strict + [
      .define("BENCH_STATIC_ALLOCATOR", .when(traits: ["StaticAllocator"]))
    ])
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
  traits: [
    .trait(
      name: "StaticAllocator",
      description: "Links jemalloc into bench instead of preloading it in children.")
  ],
  targets: [
    .target(
      name: "CSystemShims",
      cSettings: [.define("BENCH_STATIC_ALLOCATOR", .when(traits: ["StaticAllocator"]))]),
    .systemLibrary(
      name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
    room("Scheduling"),
    room(
      "Harness",
      imports: [
        "Scheduling", "CSystemShims",
        .target(name: "CJemalloc", condition: .when(traits: ["StaticAllocator"])),
      ]),
    .executableTarget(
      name: "MeasureChildFixture", dependencies: ["Harness", "Scheduling"],
      path: "Tests/MeasureChildFixture", swiftSettings: strict),
    tests("HarnessTests", imports: ["Harness", "MeasureChildFixture"]),
  ],
  swiftLanguageModes: [.v6]
)
