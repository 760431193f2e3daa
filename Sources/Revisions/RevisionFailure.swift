// SPDX-License-Identifier: Apache-2.0

package import Measurement

/// Why there is no executable of a revision.
package enum RevisionFailure: Error, Hashable, Sendable {
  /// Neither the executable nor the working directory lies in a package.
  case noPackage
  /// A program that is needed cannot be started, or does not work.
  case noProgram(ProgramFailure)
  /// git finds no repository for the package, or does not trust it; what it said.
  case noRepository(package: String, said: String)
  /// The repository does not know the revision; whether its history is cut off.
  case unknownRevision(String, isShallow: Bool)
  /// The package is not in that commit, where the path within the repository is that one.
  case noPackageThen(commit: String, manifest: String)
  /// git could not lay the commit out; what it said.
  case notLaidOut(commit: String, said: String)
  /// It does not build: the errors that the build told, and the file that has all that it said.
  case notBuilt(commit: String, product: String, errors: [String], log: String)
  /// A file of the cache cannot be used; which and why.
  case folder(String, String)
  /// The user asked to stop.
  case interrupted
}
