// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results

/// Counts that a baseline keeps, and the file that they stand in.
struct StoredCounts: Equatable {
  let baseline: CountsBaseline
  let path: String
}

/// The commit that a gate measures against, and what the report calls it.
struct GateBase: Equatable {
  /// 40 hexadecimal digits, or what the user typed for a commit.
  let revision: String
  /// `the merge base with main`.
  let name: String
  /// What one operation costs there in counts, from a file; nil where none is kept.
  var counts: StoredCounts?

  /// The name with the commit.
  var text: String {
    name == revision ? name : "\(name), \(revision.prefix(9))"
  }

  /// Names of the main branch, the likeliest first.
  private static let mainBranches = ["main", "master", "trunk"]

  /// The usual base of what is checked out: the merge base with the main branch; on that branch
  /// itself, the last commit for changes that are not committed, else the commit before.
  ///
  /// - Parameters:
  ///   - git: of the package.
  ///   - target: the branch that a pull request is to go into; nil when nobody says.
  /// - Throws: 5 when there is no earlier commit.
  static func usual(_ git: Git, target: String?) throws(ToolFailure) -> GateBase {
    guard let head = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}") else {
      throw .usage(
        "check", "the code is in no git repository that has a commit",
        expected: "a repository, whose earlier commit is the base",
        next: "commit it, or name a base with --base")
    }
    for branch in branches(git, target: target) {
      guard let base = git.ask("merge-base", "HEAD", branch), base != head else { continue }
      return GateBase(revision: base, name: "the merge base with \(branch)")
    }
    if git.ask("status", "--porcelain", "--untracked-files=no") != nil {
      return GateBase(revision: head, name: "HEAD, which the working tree differs from")
    }
    guard let before = git.ask("rev-parse", "--verify", "--quiet", "HEAD~1^{commit}") else {
      let isShallow = git.ask("rev-parse", "--is-shallow-repository") == "true"
      throw ToolFailure(
        .noBaseline, place: "check", finding: "no commit before \(head.prefix(9)) is here",
        expectation: "an earlier commit to measure against",
        nextStep: isShallow
          ? "fetch the history, `git fetch --unshallow`; for actions/checkout fetch-depth: 0"
          : "commit a change first, or name a base with --base")
    }
    return GateBase(revision: before, name: "HEAD~1")
  }

  /// The branches that code may be meant for, those of the remote first.
  private static func branches(_ git: Git, target: String?) -> [String] {
    var names = target.map { [$0] } ?? []
    if let remote = git.ask("symbolic-ref", "--short", "--quiet", "refs/remotes/origin/HEAD") {
      names.append(String(remote.dropFirst("origin/".count)))
    }
    names += mainBranches
    return RunRequest.distinct(names).flatMap { ["origin/\($0)", $0] }.filter {
      git.ask("rev-parse", "--verify", "--quiet", "\($0)^{commit}") != nil
    }
  }
}
