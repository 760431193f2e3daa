// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// The files in the folder `Suites`, which are compiled into the program so that it needs no file
/// beside it.
enum ShippedSuites {
  /// Every one, in the order in which `bench list` shows them.
  ///
  /// A new suite is one file and one line here.
  static let all: [ShippedSelection] = [
    selection("quick", PackageResources.quick_json),
    selection("default", PackageResources.default_json),
    selection("full", PackageResources.full_json),
    selection("ci", PackageResources.ci_json),
    selection("priority", PackageResources.priority_json),
    selection("cancellation", PackageResources.cancellation_json),
    selection("strong-scaling", PackageResources.strong_scaling_json),
    selection("weak-scaling", PackageResources.weak_scaling_json),
    selection("real", PackageResources.real_json),
  ]

  private static func selection(_ name: String, _ bytes: [UInt8]) -> ShippedSelection {
    ShippedSelection(name: name, bytes: bytes, folder: folder)
  }

  /// The folder `Benchmarks`, two levels above this file.
  private static let folder =
    "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
}
