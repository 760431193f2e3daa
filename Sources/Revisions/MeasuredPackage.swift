// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results

/// The package whose executable is measured, of which a revision can be built.
package struct MeasuredPackage: Sendable, Hashable {
  /// The folder of its manifest, absolute and without links.
  package let folder: String
  /// The product that is its executable.
  package let product: String

  package init(folder: String, product: String) {
    self.folder = folder
    self.product = product
  }

  /// The package of this program: the first at or above one of the folders.
  ///
  /// - Parameter folders: where the program may belong, the likeliest first.
  package static func running(folders: [String]) throws(RevisionFailure) -> MeasuredPackage {
    guard let name = ExecutablePath.name, let folder = PackageFolder.nearest(to: folders) else {
      throw .noPackage
    }
    return MeasuredPackage(folder: folder, product: name)
  }
}
