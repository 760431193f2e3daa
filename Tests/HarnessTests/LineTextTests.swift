// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable internal import Harness

@Suite("Text on one line") struct LineTextTests {
  @Test func escapesRoundTrip() {
    for text in ["", "plain", "50 % of\r\n\0 it", "%25", "żółć 🙂"] {
      let isOneField = !LineText.escaped(text).unicodeScalars.contains {
        "\n\r\0 ".unicodeScalars.contains($0)
      }
      #expect(isOneField)
      #expect(LineText.plain(LineText.escaped(text)) == text)
    }
    for text in ["%", "%2", "%2x", "%-1", "a%"] { #expect(LineText.plain(text) == nil) }
  }
}
