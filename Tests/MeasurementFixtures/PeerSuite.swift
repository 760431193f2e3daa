// SPDX-License-Identifier: Apache-2.0

package import Harness

/// The suite of names with peers: of every width, on request only, and not in the build.
package enum PeerSuite {
  private static func reference(
    _ name: String, width: ReferenceDescription.Width
  ) -> ReferenceDescription {
    ReferenceDescription(
      name: name, summary: "\(name) of the tests", caveat: "a caveat", width: width,
      workloads: [
        "chain": .init(make: { (_) throws(WorkloadError) in throw Fixtures.unmakable })
      ])
  }

  /// `guest` comes on request; `missing` and `missing-flow` are not in the build.
  package static let suite: Suite = {
    var suite = Fixtures.suite
    suite.schedulers.append(
      SchedulerEntry(name: "guest", summary: "guest of the tests", isOnRequest: true) { _ in
        fatalError("these tests never make a scheduler")
      })
    suite.references += [
      reference("asked", width: .asked), reference("three", width: .fixed(3)),
      reference("wide", width: .cpus),
    ]
    suite.absences = [
      AbsentSystem(
        name: "missing-flow", isReference: true, needs: "a build with libmissing",
        remedy: "install it"),
      AbsentSystem(
        name: "missing", isReference: false, needs: "a build with libmissing", remedy: "install it"),
    ]
    return suite
  }()
}
