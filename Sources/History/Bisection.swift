// SPDX-License-Identifier: Apache-2.0

/// The search for the commit at which a figure changes, one commit at a time.
///
/// Takes for granted that the figure changes once: all commits before are like the first, all from
/// there on like the last. Halves what is left with every answer, so that `n` commits take
/// `log2(n)` of them, rounded up; a commit without an answer is left out and its neighbour taken. A
/// plain value.
package struct Bisection: Sendable {
  /// What measuring a commit says.
  package enum Answer: Sendable, Equatable {
    /// Like the commits before the change.
    case before
    /// Like those after it.
    case after
    /// Neither is sure.
    case unknown
  }

  /// The commits that may be the change, oldest first; the last one is like those after it.
  package private(set) var suspects: [String]
  private var withoutAnswer: Set<String> = []

  /// - Parameter commits: those after the good one, up to and with the bad one, oldest first; one
  ///   at least.
  package init(commits: [String]) {
    guard !commits.isEmpty else {
      fatalError("Bisection: no commits; expected the bad one at least")
    }
    suspects = commits
  }

  /// The commit to measure next; nil when nothing more can be learnt.
  package var next: String? {
    let last = suspects.count - 1
    // Where as many suspects would be left whatever the answer.
    let middle = (last - 1) / 2
    return (0..<last).filter { !withoutAnswer.contains(suspects[$0]) }
      .min { abs($0 - middle) < abs($1 - middle) }.map { suspects[$0] }
  }

  /// Takes in what measuring a suspect says.
  package mutating func note(_ answer: Answer, of commit: String) {
    guard let place = suspects.firstIndex(of: commit) else {
      fatalError("Bisection: \(commit) is no suspect; expected one that `next` named")
    }
    switch answer {
    case .before: suspects.removeFirst(place + 1)
    case .after: suspects.removeLast(suspects.count - 1 - place)
    case .unknown: withoutAnswer.insert(commit)
    }
  }

  /// The most commits that a search among so many measures when every one has an answer.
  package static func mostSteps(among count: Int) -> Int {
    count <= 1 ? 0 : (count - 1).bitWidth - (count - 1).leadingZeroBitCount
  }
}
