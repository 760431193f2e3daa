// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BenchmarkCLI

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3), ("ab", "", 2),
  ]) func distancesCountEditsAndSwaps(left: String, right: String, distance: Int) {
    #expect(NearestName.editDistance(left, right) == distance)
    #expect(NearestName.editDistance(right, left) == distance)
  }

  @Test func aWordFarFromEveryNameSuggestsNone() {
    #expect(NearestName.of("zebra", in: ["chain", "fan"]) == nil)
  }

  @Test func thePrefixOfANameSuggestsIt() {
    #expect(NearestName.of("work", in: ["dispatch", "work-stealing"]) == "work-stealing")
  }
}
