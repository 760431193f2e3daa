// SPDX-License-Identifier: Apache-2.0

/// What git says about the measured code; nil where there is no repository or no git.
package struct Repository: Sendable, Equatable {
  package let commit: String?
  package let branch: String?
  package let isDirty: Bool?
  /// The revision's name.
  package let description: String?

  /// Asks git about the repository that holds a folder.
  package init(folder: String) {
    func ask(_ question: String) -> String {
      let quoted = "'" + folder.replacing("'", with: "'\\''") + "'"
      return ExecutablePath.firstLine(of: "git -C \(quoted) \(question) 2>/dev/null")
    }
    let head = ask("rev-parse --verify HEAD")
    guard head.utf8.count == 40 else {
      commit = nil
      branch = nil
      isDirty = nil
      description = nil
      return
    }
    commit = head
    let name = ask("symbolic-ref --short HEAD")
    branch = name.isEmpty ? nil : name
    let revision = ask("describe --always --dirty --tags")
    description = revision.isEmpty ? nil : revision
    isDirty = !ask("status --porcelain --untracked-files=no").isEmpty
  }
}
