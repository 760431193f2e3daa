// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Results

extension CodeIdentity {
  /// The code of this program, built from the repository, with the content of its executable.
  ///
  /// Reads the executable: some 50 ms.
  package init(_ repository: Repository, executable: String) {
    self.init(
      commit: repository.commit, branch: repository.branch, isDirty: repository.isDirty,
      binary: (try? File.read(executable)).map(Self.hash(ofBinary:)),
      toolchain: "Swift \(BuildFacts.swiftVersion)")
  }
}
