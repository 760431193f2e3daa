// SPDX-License-Identifier: Apache-2.0

import Counting
import Testing

@testable import BenchmarkCLI

@Suite struct CountsTextTests {
  @Test func theCertificateStandsBelowTheFirstSentence() {
    func text(_ certificate: String?) -> CountsText {
      CountsText(
        record: CountingRecord(), reference: nil, certificate: certificate, explains: false)
    }
    let line = "certificate of 2026-03-04"
    let headline = "Counted 0 cases; compared with nothing.\n"
    #expect(text(line).text(style: .plain).hasPrefix(headline + line + "\n\n"))
    #expect(text(line).markdown.hasPrefix(headline + "\n" + line + "\n\n"))
    #expect(text(nil).text(style: .plain).hasPrefix(headline + "\n"))
  }
}
