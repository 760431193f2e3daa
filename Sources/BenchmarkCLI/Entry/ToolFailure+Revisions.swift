// SPDX-License-Identifier: Apache-2.0

internal import Revisions

extension ToolFailure {
  /// A revision of which there is no executable.
  ///
  /// - Parameter option: what named the revision, such as `--base`.
  init(_ error: RevisionFailure, option: String) {
    switch error {
    case .noPackage:
      self = .usage(
        option, "neither the executable nor the working directory lies in a package",
        expected: "a Package.swift at or above one of them",
        next: "build the executable in its package, or compare executables with --binary")
    case .noProgram(let failure):
      self.init(
        failure, absent: .internalFault, expectation: "one that works, to build \(option)",
        install: "install it, or mend PATH")
    case .noRepository(let package, let said):
      self = .usage(
        option, "git finds no repository for the package in \(package): \(Self.line(said))",
        expected: "a repository that git trusts",
        next: "commit the package, or compare executables with --binary")
    case .unknownRevision(let revision, let isShallow):
      self = .usage(
        option, "`\(revision)` is no commit of this repository",
        expected: "anything that `git rev-parse` takes, such as HEAD~1, main or a tag",
        next: isShallow
          ? "this clone is cut off: `git fetch --unshallow`, or fetch-depth: 0 in a workflow"
          : "`git log --oneline --all` shows what there is")
    case .noPackageThen(let commit, let manifest):
      self = .usage(
        option, "commit \(commit.prefix(12)) has no \(manifest)",
        expected: "a revision with this package", next: "take a later one")
    case .notLaidOut(let commit, let said):
      self.init(
        .internalFault, place: option,
        finding: "git cannot lay out commit \(commit.prefix(12)): \(Self.line(said))",
        expectation: "a worktree with its files", nextStep: "mend what git names")
    case .notBuilt(let commit, let product, let errors, let log):
      self.init(
        .internalFault, place: option,
        finding: "commit \(commit.prefix(12)) does not build:\n"
          + errors.map { "  \($0)\n" }.joined(),
        expectation: "a release build of its product \(product)",
        nextStep: "see all of it in \(log), or take another revision")
    case .folder(let path, let finding):
      self.init(
        .cannotCreate, place: path, finding: finding,
        expectation: "a place for the executables of revisions",
        nextStep: "free space, or mend the permissions")
    case .interrupted:
      self.init(
        .interrupted, place: option, finding: "interrupted while it was built",
        expectation: "its end, which takes minutes the first time",
        nextStep: "nothing is left behind")
    }
  }

  /// The first line of what git said.
  private static func line(_ text: String) -> String {
    text.split(separator: "\n").first.map(String.init) ?? "it does not say why"
  }
}
