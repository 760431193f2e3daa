// SPDX-License-Identifier: Apache-2.0

package import Results

/// An executable built from a commit.
///
/// It stays where it is until `release`, or the end of the process.
package struct BuiltRevision: Sendable {
  /// Its path.
  package let executable: String
  /// Who it is; never dirty.
  package let code: CodeIdentity
  /// Folders outside the repository that the package depends on by path: these are as they are now,
  /// not as they were then.
  package let localDependencies: [String]
  /// False when it was built just now.
  package let wasThere: Bool

  let lock: FileLock

  /// Lets others remove it; once.
  package func release() { lock.release() }
}
