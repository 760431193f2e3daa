// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BenchmarkCLI

/// How text is broken into lines.
@Suite struct HelpTextTests {
  @Test(arguments: [
    ("a path of 38.4 ms", 15, ["a path of", "38.4 ms"]),
    ("work, 38.4 ms, and", 12, ["work,", "38.4 ms, and"]),
    ("takes some ms more", 10, ["takes some", "ms more"]),
    ("word\nword 5", 80, ["word word 5"]),
  ])
  func aNumberKeepsItsUnit(text: String, width: Int, lines: [String]) {
    #expect(HelpText.wrap(text, width: width) == lines)
  }
}
