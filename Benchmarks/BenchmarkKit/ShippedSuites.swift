// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// The files in the folder `Suites`, which are compiled into the program so that it needs no file
/// beside it.
enum ShippedSuites {
  /// Every one, in the order in which `bench list` shows them.
  ///
  /// A new suite is one file and one line here.
  static let all: [ShippedSelection] = [
    ShippedSelection(name: "quick", bytes: PackageResources.quick_json),
    ShippedSelection(name: "default", bytes: PackageResources.default_json),
    ShippedSelection(name: "full", bytes: PackageResources.full_json),
    ShippedSelection(name: "ci", bytes: PackageResources.ci_json),
    ShippedSelection(name: "priority", bytes: PackageResources.priority_json),
    ShippedSelection(name: "cancellation", bytes: PackageResources.cancellation_json),
    ShippedSelection(name: "strong-scaling", bytes: PackageResources.strong_scaling_json),
    ShippedSelection(name: "weak-scaling", bytes: PackageResources.weak_scaling_json),
  ]
}
