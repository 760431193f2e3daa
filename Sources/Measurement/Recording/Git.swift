// SPDX-License-Identifier: Apache-2.0

/// Asks git about the repository that holds a folder.
///
/// What another git that runs this program, for a hook, has told it of its own repository does not
/// count, and no hook of the repository runs. Any thread.
package struct Git: Sendable {
  /// The folder, which need not be the root.
  package let folder: String

  package init(folder: String) { self.folder = folder }

  /// Changes to the environment that make git look at a folder alone: what
  /// `git rev-parse --local-env-vars` lists is removed.
  package static let environment = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
  ]

  /// Runs `git` with these arguments.
  ///
  /// - Parameter limit: how many bytes of the end of its answer are kept; `Int.max` for all.
  package func run(
    _ arguments: [String], limit: Int = ExternalProgram.usualLimit
  ) -> ExternalProgram.Outcome {
    ExternalProgram.run(
      ["git", "-c", "core.hooksPath=/dev/null", "-C", folder] + arguments,
      environment: Self.environment, limit: limit)
  }

  /// The first line of git's answer; nil when it fails or says nothing.
  package func ask(_ arguments: String...) -> String? {
    let line = run(arguments).firstLine
    return line.isEmpty ? nil : line
  }
}
