// SPDX-License-Identifier: Apache-2.0

/// What the cache notes beside an executable: lines of a word, a space and the rest.
struct BuildRecord: Equatable {
  /// The commit it was built from.
  var commit: String
  /// The compiler, as `CodeIdentity` names it.
  var toolchain: String
  /// Local dependencies and what they were like.
  var dependencies: [(folder: String, fingerprint: String)]

  static func == (left: BuildRecord, right: BuildRecord) -> Bool { left.text == right.text }

  /// The lines.
  var text: String {
    (["commit \(commit)", "toolchain \(toolchain)"]
      + dependencies.map { "dependency \($0.fingerprint) \($0.folder)" })
      .map { $0 + "\n" }.joined()
  }

  init(
    commit: String, toolchain: String, dependencies: [(folder: String, fingerprint: String)]
  ) {
    self.commit = commit
    self.toolchain = toolchain
    self.dependencies = dependencies
  }

  /// Reads the lines; nil for anything else.
  init?(text: String) {
    self.init(commit: "", toolchain: "", dependencies: [])
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case "commit": commit = parts[1]
      case "toolchain": toolchain = parts[1]
      case "dependency":
        let pair = parts[1].split(separator: " ", maxSplits: 1).map(String.init)
        guard pair.count == 2 else { return nil }
        dependencies.append((folder: pair[1], fingerprint: pair[0]))
      default: return nil
      }
    }
    guard !commit.isEmpty, !toolchain.isEmpty else { return nil }
  }

  /// Whether every local dependency is as it was.
  var isCurrent: Bool {
    dependencies.allSatisfy { LocalDependencies.fingerprint(of: $0.folder) == $0.fingerprint }
  }
}
