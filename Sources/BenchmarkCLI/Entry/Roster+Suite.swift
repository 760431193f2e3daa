// SPDX-License-Identifier: Apache-2.0

package import Analysis
package import Harness

extension Roster {
  /// What a suite knows of its systems.
  package init(_ suite: Suite) {
    let schedulers = suite.schedulers.map { entry in
      (
        name: entry.name,
        system: System(
          isSerialBaseline: entry.isSerialBaseline, keepsWorkers: entry.fixedWorkers != nil,
          knobs: Set(entry.knobs.map(\.name)))
      )
    }
    let references = suite.references.map { reference in
      (
        name: reference.name,
        system: System(
          isReference: true, keepsWorkers: reference.width != .asked, caveat: reference.caveat)
      )
    }
    self.init(schedulers + references)
  }
}
