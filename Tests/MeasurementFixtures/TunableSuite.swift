// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Scheduling

/// The suite of names with knobs on two of its schedulers.
package enum TunableSuite {
  /// `pool` and `stealing` have `spin-us`, `stealing` has `pin`.
  package static let suite: Suite = {
    var suite = Fixtures.suite
    let spin = SchedulerKnob(name: "spin-us", summary: "waits", numbers: 0...100, default: 20)
    let pin = SchedulerKnob(
      name: "pin", summary: "places", words: ["none", "compact"], default: "none")
    suite.schedulers = [
      Fixtures.scheduler("inline", fixedWorkers: 1),
      tuned("pool", [SchedulerKnob(name: "spin-us", summary: "", numbers: 0...50, default: 0)]),
      tuned("stealing", [spin, pin]),
    ]
    return suite
  }()

  private static func tuned(_ name: String, _ knobs: [SchedulerKnob]) -> SchedulerEntry {
    SchedulerEntry(
      name: name, summary: "\(name) of the tests", knobs: knobs,
      check: { settings throws(KnobError) in
        guard settings["pin"] == "compact", settings["spin-us"] == 0 else { return }
        throw KnobError(
          place: "here", finding: "compact does not go with 0", expectation: "1 or more",
          nextStep: "spin")
      }
    ) { _, _ in fatalError("these tests never make a scheduler") }
  }
}
