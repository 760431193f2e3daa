// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Counting

@Suite("Where instructions went") struct FunctionChangesTests {
  @Test func theLargestChangeComesFirstAndWhatDidNotChangeIsLeftOut() {
    let changes = FunctionChanges(
      before: ["same": 10, "gone": 4, "less": 9], after: ["same": 10.04, "less": 8, "new": 30])
    #expect(changes.entries.map(\.name) == ["new", "gone", "less"])
    #expect(changes.entries.map(\.change) == [30, -4, -1])
    #expect(changes.entries.map(\.before) == [0, 4, 9])
  }

  @Test func withoutABaseItIsWhatIsThere() {
    let changes = FunctionChanges(before: nil, after: ["small": 1, "large": 2])
    #expect(changes.entries.map(\.name) == ["large", "small"])
    #expect(changes.entries.map(\.before) == [nil, nil])
  }

  @Test func namesAreAsPeopleReadThem() {
    #expect(FunctionChanges.readable("$sSS5countSivg") == "Swift.String.count.getter : Swift.Int")
    #expect(FunctionChanges.readable("malloc") == "malloc")
  }
}
