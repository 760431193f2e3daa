// SPDX-License-Identifier: Apache-2.0

/// Finds the known name that a mistyped one most likely means.
package enum NearestName {
  /// The nearest of `names`, or nil when none is near enough to be a misspelling.
  ///
  /// Near enough is a third of the longer word's letters, at least one; a name that begins with the
  /// word also counts. The first of equally near names wins. O(names × letters²).
  package static func of(_ word: String, in names: [String]) -> String? {
    let lowered = word.lowercased()
    var best: (name: String, distance: Int)?
    for name in names {
      let distance = editDistance(lowered, name.lowercased())
      let limit = max(1, max(lowered.count, name.count) / 3)
      guard distance <= limit else { continue }
      if let found = best, found.distance <= distance { continue }
      best = (name, distance)
    }
    return best?.name ?? names.first { lowered.count >= 2 && $0.lowercased().hasPrefix(lowered) }
  }

  /// `did you mean NAME?`, or a fallback when nothing is near.
  package static func suggestion(for word: String, in names: [String], otherwise: String)
    -> String
  {
    of(word, in: names).map { "did you mean `\($0)`?" } ?? otherwise
  }

  /// Insertions, removals, replacements and swaps of neighbours that turn one word into the other.
  package static func editDistance(_ left: String, _ right: String) -> Int {
    let a = Array(left)
    let b = Array(right)
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforePrevious = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        row[j] = min(replaced, previous[j] + 1, row[j - 1] + 1)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], beforePrevious[j - 2] + 1)
        }
      }
      beforePrevious = previous
      previous = row
    }
    return previous[b.count]
  }
}
