// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import History

@Suite("Search for a commit")
struct BisectionTests {
  /// The suspects that are left, and how many commits were measured.
  private func search(_ count: Int, change: Int, unknown: Set<Int> = []) -> ([Int], Int) {
    var search = Bisection(commits: (0..<count).map(String.init))
    var steps = 0
    while let next = search.next.flatMap({ Int($0) }) {
      steps += 1
      search.note(
        unknown.contains(next) ? .unknown : next < change ? .before : .after, of: String(next))
    }
    return (search.suspects.compactMap { Int($0) }, steps)
  }

  @Test("every change is found, in as few steps as halving takes")
  func findsEveryChange() {
    for count in 1...40 {
      var most = 0
      for change in 0..<count {
        let (suspects, steps) = search(count, change: change)
        #expect(suspects == [change], "\(change) of \(count)")
        most = max(most, steps)
      }
      #expect(most == Bisection.mostSteps(among: count), "\(count)")
    }
    #expect([1, 2, 3, 4, 5, 64, 65].map(Bisection.mostSteps) == [0, 1, 2, 2, 3, 6, 7])
  }

  @Test("commits without an answer are left out, and named where they may be the change")
  func leavesOutUnknown() {
    // 12 is the change, and nobody knows of 11 and 12: either, or 13, may be it.
    #expect(search(20, change: 12, unknown: [11, 12]).0 == [11, 12, 13])
    // Unknown commits elsewhere cost a step each at most, and nothing else.
    let (suspects, steps) = search(20, change: 12, unknown: [4, 9])
    #expect(suspects == [12])
    #expect(steps <= Bisection.mostSteps(among: 20) + 2)
    #expect(search(6, change: 3, unknown: Set(0..<6)).0 == Array(0..<6))
  }
}
