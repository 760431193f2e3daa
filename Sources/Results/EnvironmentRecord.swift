// SPDX-License-Identifier: Apache-2.0

/// What a run found out about its machine and its build, as the environment file records it.
///
/// A plain value; any thread.
package struct EnvironmentRecord: Sendable, Hashable {
  private var values: [EnvironmentColumn: String] = [:]

  /// A record without any value.
  package init() {}

  /// Takes pairs of column name and value, in any order; an empty value counts as missing.
  ///
  /// Throws when a name is no column of the environment file, or comes twice.
  package init(_ pairs: [(String, String)]) throws(EnvironmentError) {
    for (name, value) in pairs {
      guard let column = EnvironmentColumn(rawValue: name) else {
        throw .unknownColumn(name)
      }
      guard values[column] == nil else { throw .repeatedColumn(name) }
      self[column] = value
    }
  }

  /// The value of a column, nil when it is missing.
  package subscript(column: EnvironmentColumn) -> String? {
    get { values[column] }
    set { values[column] = newValue == "" ? nil : newValue }
  }

  /// All columns in order with their values, empty when missing.
  package var entries: [(column: EnvironmentColumn, value: String)] {
    EnvironmentColumn.allCases.map { ($0, values[$0] ?? "") }
  }

  /// The environment file: the line of names and the line of values.
  package func csv() -> [UInt8] {
    let names = EnvironmentColumn.allCases.map(\.rawValue)
    return Array((csvLine(names) + csvLine(entries.map(\.value))).utf8)
  }

  /// Reads an environment file whose content is at hand; `path` is for messages.
  ///
  /// Takes the columns in any order, and fewer than there are, as earlier versions wrote them.
  /// Throws the first finding. O(bytes).
  package init(csv bytes: [UInt8], path: String) throws(CSVError) {
    let records = try CSVRecordReader.records(bytes, path: path)
    guard records.count == 2 else {
      throw Self.error(
        path, line: records.count > 2 ? records[2].line : 1,
        "\(records.count) record\(records.count == 1 ? "" : "s")",
        "a line of names and one of values")
    }
    let (names, values) = (records[0].fields, records[1].fields)
    guard names.count == values.count else {
      throw Self.error(
        path, line: records[1].line, "\(values.count) fields", "\(names.count), as in the header")
    }
    do throws(EnvironmentError) { try self.init(Array(zip(names, values))) } catch {
      switch error {
      case .unknownColumn(let name):
        throw Self.error(
          path, line: 1, quoted(name) + " in the header", "columns that `bench schema` lists")
      case .repeatedColumn(let name):
        throw Self.error(path, line: 1, quoted(name) + " twice in the header", "each column once")
      }
    }
  }

  private static func error(
    _ path: String, line: Int, _ finding: String, _ expectation: String
  ) -> CSVError {
    CSVError(
      finding: Finding(
        path: path, line: line, finding: finding, expectation: expectation,
        nextStep: "remove the file, which only describes the machine, or bring the original back"))
  }

  /// The columns whose difference forbids comparing figures of the two environments.
  ///
  /// A value that only one of them knows is a difference; one that both miss is none.
  package func differences(from other: EnvironmentRecord) -> [EnvironmentColumn] {
    EnvironmentColumn.comparability.filter { self[$0] != other[$0] }
  }

  /// Whether figures of the two environments may be compared with each other.
  package func isComparable(with other: EnvironmentRecord) -> Bool {
    differences(from: other).isEmpty
  }
}

/// Why pairs do not make an environment record.
package enum EnvironmentError: Error, Sendable, Hashable, CustomStringConvertible {
  case unknownColumn(String)
  case repeatedColumn(String)

  /// Finding, expectation and next step.
  package var description: String {
    switch self {
    case .unknownColumn(let name):
      "environment column \(name) is unknown; expected a column of the environment file; "
        + "add it to EnvironmentColumn"
    case .repeatedColumn(let name):
      "environment column \(name) comes twice; expected it once; give one value"
    }
  }
}
