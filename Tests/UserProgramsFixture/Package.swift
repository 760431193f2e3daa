// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, as users have one, so that one source builds beside any revision of the
// library: OPERATIONS_PACKAGE names its folder.
let library = Context.environment["OPERATIONS_PACKAGE"] ?? "../.."

let package = Package(
  name: "user-programs",
  dependencies: [.package(name: "scheduler-bench", path: library)],
  targets: [
    .executableTarget(
      name: "UserPrograms",
      dependencies: [
        .product(name: "Operations", package: "scheduler-bench"),
        .product(name: "WorkStealingBackend", package: "scheduler-bench"),
      ],
      path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
