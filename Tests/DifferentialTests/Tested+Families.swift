// SPDX-License-Identifier: Apache-2.0

import RandomPrograms
import Testing

extension Tested: CustomTestStringConvertible {
  /// The scheduler and its workers.
  public var testDescription: String { description }
  var family: PackageFamily { PackageFamily(name: description, scheduler: make()) }

  /// Whether the scheduler can run the script: a body that blocks its thread must leave another
  /// one.
  func canRun(_ script: Script) -> Bool {
    let hasThreadToBlock = !isInline && workers > 1
    return hasThreadToBlock || !script.program.plans.contains { $0.kind == .latched }
  }
}
