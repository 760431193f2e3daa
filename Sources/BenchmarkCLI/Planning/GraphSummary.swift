// SPDX-License-Identifier: Apache-2.0

internal import Results

/// A graph file after a first look at it: enough to plan its replay.
package struct GraphSummary: Sendable {
  /// As given on the command line.
  package let path: String
  /// Name of the file without folder and extension, other characters than the CSV allows replaced.
  package var benchmark: String
  /// Number of tasks.
  package let taskCount: Int
  /// Sum of the recorded durations.
  package let totalWorkNanoseconds: Int64
  /// What the parser remarked.
  package let notes: [String]

  package init(
    path: String, taskCount: Int, totalWorkNanoseconds: Int64, notes: [String] = []
  ) {
    self.path = path
    benchmark = nameReplacingOthers(in: Self.stem(of: path))
    self.taskCount = taskCount
    self.totalWorkNanoseconds = totalWorkNanoseconds
    self.notes = notes
  }

  /// The summaries with distinct benchmark names.
  ///
  /// Files that share a stem, such as `zstd/build.ninja` and `leveldb/build.ninja`, get their folder's name in front,
  /// and a number where that does not help either.
  package static func distinct(_ summaries: [GraphSummary]) -> [GraphSummary] {
    var result = summaries
    for index in summaries.indices
    where summaries.filter({ $0.benchmark == summaries[index].benchmark }).count > 1 {
      let folder = summaries[index].path.split(separator: "/").dropLast().last.map(String.init)
      guard let folder else { continue }
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

  private static func stem(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? "graph"
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return file }
    return String(file[..<dot])
  }
}
