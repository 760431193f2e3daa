// SPDX-License-Identifier: Apache-2.0

import MeasurementFixtures
import Testing

@testable import BenchmarkCLI

/// What there is to measure, as users read it.
@Suite struct ListTextTests {
  @Test func listShowsKnobsWithDefaultsAndLegalValues() {
    let list = ListText(suite: TunableSuite.suite)
    #expect(list.text(style: .plain).contains("    spin-us=20          waits; 0 to 100\n"))
    #expect(list.text(style: .plain).contains("    pin=none            places; none or compact\n"))
  }

  @Test func theListSaysWhatIsMissingAndWhatComesOnRequest() {
    let text = ListText(suite: PeerSuite.suite).text(style: TerminalStyle(isColored: false))
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("guest guest of the tests (only with --scheduler guest)"))
    #expect(
      words.contains("missing-flow not in this build; needs a build with libmissing: install it"))
  }
}
