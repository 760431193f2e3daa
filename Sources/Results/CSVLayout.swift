// SPDX-License-Identifier: Apache-2.0

/// The columns of a results file, by its header: those of this version, or of one that had fewer.
struct CSVLayout: Sendable {
  /// The columns, from the left.
  let columns: [Column]
  /// The newest version that has no others.
  let newestVersion: Int
  private let places: [Column: Int]

  /// Every column of this version.
  static let current = CSVLayout(
    columns: Column.allCases, newestVersion: Column.schemaVersion)

  /// Before the column that says how a comparison was planned.
  static let version3 = CSVLayout(
    columns: Column.allCases.filter { $0 != .design }, newestVersion: 3)

  /// Before the columns that tell the code of contestants apart.
  static let version2 = CSVLayout(
    columns: version3.columns.filter { $0 != .binary && $0 != .toolchain }, newestVersion: 2)

  /// What a file is that lies beside the figures of a run, by its header; nil for any other.
  private static func companion(header fields: [String]) -> String? {
    if fields == SampleColumn.allCases.map(\.rawValue) { return "the samples of a run" }
    // Earlier versions had fewer of them.
    if !fields.isEmpty, fields.allSatisfy({ EnvironmentColumn(rawValue: $0) != nil }) {
      return "the description of a run's machine"
    }
    return nil
  }

  private init(columns: [Column], newestVersion: Int) {
    self.columns = columns
    self.newestVersion = newestVersion
    places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0) })
  }

  /// The place of a column from the left, counted from 0; nil where files of this layout lack it.
  func place(of column: Column) -> Int? { places[column] }

  /// The layout that a header names.
  ///
  /// Throws what is wrong with the first record of a results file when it is no header.
  init(header fields: [String], path: String) throws(CSVError) {
    for layout in [Self.current, .version3, .version2]
    where fields == layout.columns.map(\.rawValue) {
      self = layout
      return
    }
    if let companion = Self.companion(header: fields) {
      throw CSVError(
        finding: Finding(
          path: path, line: 1, finding: companion, expectation: "a results file",
          nextStep: "name the file of figures beside it"))
    }
    let names = Column.allCases.map(\.rawValue)
    let index = zip(fields, names).enumerated().first { $1.0 != $1.1 }?.offset
    let place = index ?? min(fields.count, names.count)
    let found = place < fields.count ? quoted(fields[place]) : "nothing"
    let wanted = place < names.count ? names[place] : "the end of the line"
    throw CSVError(
      finding: Finding(
        path: path, line: 1, column: place < names.count ? names[place] : nil,
        finding: "\(found) in place \(place + 1) of the header", expectation: wanted,
        nextStep: "use the header that `bench schema` lists"))
  }
}
