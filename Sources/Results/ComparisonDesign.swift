// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// How a comparison was planned: what its verdict rests on besides the figures of its pairs.
///
/// Stands beside every ratio of a comparison, so that its rows alone say what was found. A plain
/// value; any thread.
package struct ComparisonDesign: Sendable, Hashable {
  /// How the sides of a pair were measured.
  package enum Pairing: String, CaseIterable, Sendable {
    /// In one process, in turns.
    case alternating
    /// In a live process each, in turns.
    case lockStep = "lock-step"
    /// In a process each, one after the other.
    case processes
  }

  package var pairing: Pairing
  /// The looks that were planned before the first pair.
  package var looks: SequentialDesign
  package var tolerance: Tolerance

  package init(pairing: Pairing, looks: SequentialDesign, tolerance: Tolerance) {
    self.pairing = pairing
    self.looks = looks
    self.tolerance = tolerance
  }

  /// Reads the text form; nil unless it is one that `text` gives.
  package init?(text: String) {
    guard let entries = RowParameters(text: text), entries.entries.count == Key.all.count,
      let pairing = entries[Key.pairing].flatMap(Pairing.init),
      let looks = entries[Key.looks]?.split(separator: "+", omittingEmptySubsequences: false)
        .map({ Int($0) ?? 0 }), let design = SequentialDesign.known(looks: looks),
      let difference = entries[Key.tolerance].flatMap(Double.init),
      let equivalence = entries[Key.equivalence].flatMap(Double.init),
      difference >= 0, difference < equivalence, equivalence.isFinite
    else { return nil }
    self.init(
      pairing: pairing, looks: design,
      tolerance: Tolerance(difference: difference, equivalence: equivalence))
  }

  /// The text form: `equivalence:0.03;looks:20+40+80;pairing:alternating;tolerance:0.01`.
  package var text: String {
    RowParameters([
      (Key.pairing, pairing.rawValue),
      (Key.looks, looks.looks.map(String.init).joined(separator: "+")),
      (Key.tolerance, tolerance.difference.description),
      (Key.equivalence, tolerance.equivalence.description),
    ]).text
  }

  private enum Key {
    static let pairing = "pairing"
    static let looks = "looks"
    static let tolerance = "tolerance"
    static let equivalence = "equivalence"
    static let all = [pairing, looks, tolerance, equivalence]
  }
}
