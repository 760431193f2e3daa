// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Testing

/// Knobs, values and settings as text and as data.
@Suite struct KnobTests {
  private let spin = SchedulerKnob(
    name: "spin-us", summary: "µs", numbers: 0...100, words: ["auto"], default: "auto")

  @Test(
    arguments: [("5", 5), ("-1", -1), ("compact", "compact"), ("a-1", "a-1")]
      as [(String, KnobValue)])
  func numbersAndWordsAreRead(text: String, value: KnobValue) {
    #expect(KnobValue(text: text) == value)
    #expect(value.description == text)
  }

  @Test(arguments: ["", "1.5", "X", "-", "1a", "a b", "a:b", "ä"])
  func anythingElseIsNoValue(text: String) { #expect(KnobValue(text: text) == nil) }

  @Test func aKnobAcceptsItsNumbersAndItsWords() {
    #expect(([0, 100, "auto"] as [KnobValue]).allSatisfy(spin.accepts))
    #expect(!([-1, 101, "never"] as [KnobValue]).contains(where: spin.accepts))
    #expect(spin.legalText == "auto or 0 to 100")
  }

  @Test func settingsTravelAsText() {
    let settings = KnobSettings(["spin-us": 5, "pin": "compact"])
    #expect(settings.description == "pin:compact;spin-us:5")
    #expect(KnobSettings(canonical: settings.description) == settings)
    #expect(KnobSettings(canonical: "")?.isEmpty == true)
    for text in ["pin", "pin:a;pin:b", "pin:a:b", ";", "5:5"] {
      #expect(KnobSettings(canonical: text) == nil, "\(text)")
    }
  }

  @Test func defaultsFillWhatIsNotSet() {
    #expect(KnobSettings().completed(by: [spin])["spin-us"] == "auto")
    #expect(KnobSettings(["spin-us": 3]).completed(by: [spin])["spin-us"] == 3)
  }

  @Test func anIllegalValueIsRefusedWithTheLegalOnes() {
    #expect {
      try KnobSettings(["spin-us": 101]).check(against: [spin], of: "toy")
    } throws: { error in
      String(describing: error)
        == "toy, knob 'spin-us': 101 is illegal; expected auto or 0 to 100; "
        + "set a legal value, or leave the knob alone"
    }
  }

  @Test func anUnknownKnobIsRefusedWithTheKnownOnes() {
    #expect {
      try KnobSettings(["spin": 1]).check(against: [spin], of: "toy")
    } throws: { error in
      String(describing: error)
        == "toy: there is no knob 'spin'; expected one of spin-us; leave it out"
    }
  }
}
