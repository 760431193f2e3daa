// SPDX-License-Identifier: Apache-2.0

package import Results

/// Why rows cannot be exported.
package enum ExportFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rows are of several runs, which most formats cannot tell apart.
  case severalRuns(RunID, RunID)
  /// The rows are of several revisions or builds, which most formats cannot tell apart.
  case severalRevisions(String, String)
  /// The rows hold the aggregate of a figure twice.
  case repeatedFigure(String)
  /// Two names are the same in the characters that the format allows.
  case nameCollision(ExportFormat, name: String)
  /// The consumer refuses names of more bytes than the limit.
  case nameTooLong(ExportFormat, name: String, limit: Int)
  /// The format has no form for a name that ends like this one.
  case unwritableName(ExportFormat, name: String)

  /// Place, finding, expectation and next step, on one line.
  package var description: String {
    switch self {
    case .severalRuns(let first, let second):
      "runs \(first.text) and \(second.text): two runs in one export; expected one; "
        + "export each by itself"
    case .severalRevisions(let first, let second):
      "\(first) and \(second): figures of two revisions in one export; expected one; "
        + "export each by itself"
    case .repeatedFigure(let name):
      "\(name): two rows over all processes; expected one; look for rows that were copied"
    case .nameCollision(let format, let name):
      "\(format.rawValue): two figures are called \(name); expected names that differ; "
        + "export them by themselves"
    case .nameTooLong(let format, let name, let limit):
      "\(format.rawValue): \(name) has \(name.utf8.count) bytes; expected at most \(limit); "
        + "shorten the benchmark's name or its parameters"
    case .unwritableName(let format, let name):
      "\(format.rawValue): \(name) ends with a backslash; expected another end; rename it"
    }
  }
}

/// The names that an export has given, each once.
struct ClaimedNames {
  private let format: ExportFormat
  private let limit: Int
  private var names: Set<String> = []

  /// Names of at most `limit` bytes.
  init(_ format: ExportFormat, limit: Int = .max) {
    self.format = format
    self.limit = limit
  }

  /// Returns the name; throws when it came before or is too long.
  mutating func claim(_ name: String) throws(ExportFailure) -> String {
    guard name.utf8.count <= limit else {
      throw .nameTooLong(format, name: name, limit: limit)
    }
    guard names.insert(name).inserted else { throw .nameCollision(format, name: name) }
    return name
  }
}

extension CodeIdentity {
  /// What tells it from others, in messages.
  var name: String {
    let parts = [commit, isDirty == true ? "with changes" : nil, binary].compactMap(\.self)
    return parts.isEmpty ? "unknown code" : parts.joined(separator: " ")
  }
}
