// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measurement
import Testing

@testable import Revisions

@Suite struct LocalDependenciesTests {
  /// Names of files that take more than what is kept of a program's output by default.
  ///
  /// The index of git takes names of files that are not there; an empty file is there for the
  /// first.
  @Test func everyFileOfALargePackageCounts() throws {
    try DemoPackage.with { demo in
      let empty = demo.git("hash-object", "-w", "/dev/null")
      let deep = (1...15).map { _ in String(repeating: "d", count: 240) }.joined(separator: "/")
      let lines = (0..<1200).map { "100644 \(empty)\t\(deep)/\($0)\n" }
      try demo.writeAside("index", lines.joined())
      let added = ExternalProgram.run(
        ["sh", "-c", "git -C \"$1\" update-index --index-info <\"$2\"", "sh"]
          + [demo.repository, demo.folder + "/index"], environment: Git.environment)
      try #require(added.code == 0, "\(added.transcript)")
      let listed = Git(folder: demo.root).run(["ls-files", "-z"], limit: .max)
      try #require(listed.output.utf8.count > ExternalProgram.usualLimit)
      try demo.write("Aaa.swift", "let limit = 1")
      let before = LocalDependencies.fingerprint(of: demo.root)
      #expect(LocalDependencies.fingerprint(of: demo.root) == before)
      try demo.write("Aaa.swift", "let limit = 2")
      #expect(LocalDependencies.fingerprint(of: demo.root) != before)
    }
  }

  @Test func aFolderWithoutARepositoryCountsWithAllButHiddenFiles() throws {
    try DemoPackage.with { demo in
      let other = demo.folder + "/other"
      let before = LocalDependencies.fingerprint(of: other)
      try demo.writeAside("other/.hidden", "x")
      #expect(LocalDependencies.fingerprint(of: other) == before)
      try demo.writeAside("other/value", "other now")
      #expect(LocalDependencies.fingerprint(of: other) != before)
    }
  }
}
