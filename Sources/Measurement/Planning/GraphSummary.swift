// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import TaskGraphFiles

/// A graph file after a first look at it: enough to plan its replay.
package struct GraphSummary: Hashable, Sendable {
  /// What messages call it: the file, or standard input.
  package let path: String
  /// The file that children read.
  package var file: String
  /// Name of the file without folder and extension, other characters than the CSV allows replaced.
  package var benchmark: String
  /// Number of tasks.
  package let taskCount: Int
  /// Number of dependencies.
  package let edgeCount: Int
  /// Sum of the recorded durations.
  package let totalWorkNanoseconds: Int64
  /// Longest path by recorded durations.
  package let criticalPathNanoseconds: Int64
  /// Tells whether a child reads the same graph; see `TaskGraph.fingerprint`.
  package let fingerprint: String
  /// What the parser remarked, each with its place.
  package let notes: [String]
  /// Folders from the root on and the name of the file; see `TaskGraphFile.names(of:)`.
  private let names: [String]

  package init(
    path: String, taskCount: Int, edgeCount: Int = 0, totalWorkNanoseconds: Int64,
    criticalPathNanoseconds: Int64 = 0, fingerprint: String = "none", notes: [String] = []
  ) {
    self.path = path
    file = path
    names = TaskGraphFile.names(of: path)
    benchmark = nameReplacingOthers(in: names.last ?? "graph")
    self.taskCount = taskCount
    self.edgeCount = edgeCount
    self.totalWorkNanoseconds = totalWorkNanoseconds
    self.criticalPathNanoseconds = criticalPathNanoseconds
    self.fingerprint = fingerprint
    self.notes = notes
  }

  /// The summaries with distinct benchmark names.
  ///
  /// Files that share a name, such as `old/zstd.dot` and `new/zstd.dot`, get their folder's name in
  /// front, and a number where that does not help either.
  package static func distinct(_ summaries: [GraphSummary]) -> [GraphSummary] {
    var result = summaries
    for index in summaries.indices
    where summaries.filter({ $0.benchmark == summaries[index].benchmark }).count > 1 {
      guard let folder = summaries[index].names.dropLast().last else { continue }
      result[index].benchmark = nameReplacingOthers(in: folder) + "-" + summaries[index].benchmark
    }
    for index in result.indices {
      let earlier = result[..<index].map(\.benchmark)
      let base = result[index].benchmark
      var number = 2
      while earlier.contains(result[index].benchmark) {
        result[index].benchmark = "\(base)-\(number)"
        number += 1
      }
    }
    return result
  }
}
