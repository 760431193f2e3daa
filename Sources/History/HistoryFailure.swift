// SPDX-License-Identifier: Apache-2.0

package import Results

/// Why a history cannot be read, or a point cannot be added to it.
package enum HistoryFailure: Error, Sendable, Hashable {
  /// A file that cannot be read.
  case reading(FileError)
  /// A file that cannot be written.
  case writing(FileError)
  /// What is wrong at one place of a file.
  case malformed(Finding)
  /// What is sound and does not fit.
  case refused(HistoryRefusal)
}

/// What does not fit into a history, why, and what to do.
package struct HistoryRefusal: Sendable, Hashable {
  /// The file that it is about.
  package let place: String
  package let finding: String
  package let expectation: String
  package let nextStep: String
}

extension HistoryFailure {
  static func refused(_ place: String, _ finding: String, _ expectation: String, _ nextStep: String)
    -> HistoryFailure
  {
    .refused(
      HistoryRefusal(
        place: place, finding: finding, expectation: expectation, nextStep: nextStep))
  }
}
