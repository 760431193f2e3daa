// SPDX-License-Identifier: Apache-2.0

/// The attributes of a DOT file other than `duration`, kept to say which of them were probably
/// meant as such.
struct DOTAttributes {
  private var names = NameTable()
  /// Per name: how often it is given, and the byte at which it first is.
  private var uses: [(count: Int, first: Int)] = []

  /// Most names that are remarked upon.
  static let mostRemarks = 3

  /// Takes down one use.
  mutating func note(_ name: ArraySlice<UInt8>, at offset: Int) {
    let (index, isNew) = names.intern(name)
    if isNew { uses.append((0, offset)) }
    uses[index].count += 1
  }

  /// A sentence for each name that looks like a misspelt `duration`, in file order.
  ///
  /// O(distinct names + bytes before the last one remarked upon).
  func remarks(_ source: SourceText) -> [String] {
    let meant = uses.indices.filter { Self.looksLikeDuration(names.name($0)) }
    return meant.prefix(Self.mostRemarks).map { index in
      let (line, column) = source.position(of: uses[index].first)
      let times = uses[index].count == 1 ? "" : ", given \(uses[index].count) times,"
      return
        "\(source.path):\(line):\(column): the attribute `\(printable(names.name(index)))`\(times) "
        + "is not read; did you mean `duration`?"
    }
  }

  /// Whether a name is `duration` in other letters, its beginning, a longer form of it, or two
  /// letters away from it.
  static func looksLikeDuration(_ name: String) -> Bool {
    let word = Array("duration".utf8)
    let letters = Array(name.lowercased().utf8)
    if letters.starts(with: word) || (letters.count >= 3 && word.starts(with: letters)) {
      return true
    }
    guard letters.count + 2 >= word.count, letters.count <= word.count + 2 else { return false }
    // Levenshtein's distance, row by row.
    var row = Array(0...word.count)
    for (index, letter) in letters.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in word.indices {
        let replaced = diagonal + (word[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[word.count] <= 2
  }
}
