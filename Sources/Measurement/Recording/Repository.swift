// SPDX-License-Identifier: Apache-2.0

package import Results

/// What git says about the measured code; nil where there is no repository or no git.
package struct Repository: Sendable, Equatable {
  package let commit: String?
  package let branch: String?
  package let isDirty: Bool?
  /// The revision's name.
  package let description: String?

  /// Asks git about the repository that holds a folder.
  package init(folder: String) {
    let git = Git(folder: folder)
    guard let head = git.ask("rev-parse", "--verify", "HEAD"), head.utf8.count == 40 else {
      commit = nil
      branch = nil
      isDirty = nil
      description = nil
      return
    }
    commit = head
    branch = git.ask("symbolic-ref", "--short", "HEAD")
    description = git.ask("describe", "--always", "--dirty", "--tags")
    isDirty = git.ask("status", "--porcelain", "--untracked-files=no") != nil
  }

  /// When a commit, given in 40 hexadecimal digits, was made; nil when the repository that holds
  /// the folder does not know it.
  package static func time(ofCommit commit: String, folder: String) -> Timestamp? {
    Git(folder: folder).ask("show", "--no-patch", "--format=%ct", "\(commit)^{commit}")
      .flatMap { Int64($0) }.flatMap {
        Timestamp.exists(unixSeconds: $0) ? Timestamp(unixSeconds: $0) : nil
      }
  }
}
