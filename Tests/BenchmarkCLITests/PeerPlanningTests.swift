// SPDX-License-Identifier: Apache-2.0

import Harness
import Testing

@testable import BenchmarkCLI

/// Peers that have their own number of workers, come on request only, or are not in the build.
@Suite struct PeerPlanningTests {
  private static func reference(
    _ name: String, width: ReferenceDescription.Width
  ) -> ReferenceDescription {
    ReferenceDescription(
      name: name, summary: "\(name) of the tests", caveat: "a caveat", width: width,
      workloads: [
        "chain": .init(make: { (_) throws(WorkloadError) in throw Fixtures.unmakable })
      ])
  }

  private static let suite: Suite = {
    var suite = Fixtures.suite
    suite.schedulers.append(
      SchedulerEntry(name: "guest", summary: "guest of the tests", isOnRequest: true) { _ in
        fatalError("the tests of this room never make a scheduler")
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

  private func plan(
    cpuCount: Int = 4, _ change: (inout RunRequest) -> Void
  ) throws(ToolFailure) -> MeasurementPlan {
    var request = RunRequest()
    request.filter = "^chain$"
    change(&request)
    return try Planner(suite: Self.suite, request: request, cpuCount: cpuCount).plan(freshSeed: 1)
  }

  @Test func aReferenceHasTheWorkersThatItsWidthSays() throws {
    let references = ["asked", "three", "wide"]
    let planned = try plan {
      $0.workers = [1, 2]
      $0.references = references
    }
    let counts = planned.groups.map { group in
      group.contestants.filter(\.isReference).map { "\($0.name) \($0.workers)" }
    }
    #expect(counts == [["asked 1", "three 3", "wide 4"], ["asked 2", "three 3", "wide 4"]])
    let pinned = try plan {
      $0.cpus = 2
      $0.references = references
    }
    #expect(pinned.groups[0].contestants.filter(\.isReference).map(\.workers) == [2, 3, 2])
  }

  @Test func aSchedulerOnRequestIsMeasuredOnlyWhenNamed() throws {
    #expect(try !plan { _ in }.groups[0].contestants.map(\.name).contains("guest"))
    let named = try plan { $0.schedulers = ["guest"] }
    #expect(named.groups[0].contestants.map(\.name) == ["guest"])
  }

  @Test(
    arguments: [
      (
        "missing-flow", true,
        "--reference: `missing-flow` is not in this build; expected a build with libmissing; "
          + "install it"
      ),
      (
        "missing", false,
        "--scheduler: `missing` is not in this build; expected a build with libmissing; install it"
      ),
    ]) func whatTheBuildLacksIsRefusedWithTheRemedy(name: String, isReference: Bool, text: String)
  {
    let failure = #expect(throws: ToolFailure.self) {
      try plan {
        if isReference { $0.references = ["asked", name] } else { $0.schedulers = [name] }
      }
    }
    #expect(failure?.code == .usage)
    #expect(failure?.description == text)
  }

  @Test func theListSaysWhatIsMissingAndWhatComesOnRequest() {
    let text = ListText(suite: Self.suite).text(style: TerminalStyle(isColored: false))
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("guest guest of the tests (only with --scheduler guest)"))
    #expect(
      words.contains("missing-flow not in this build; needs a build with libmissing: install it"))
  }
}
