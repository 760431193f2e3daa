// SPDX-License-Identifier: Apache-2.0

/// One line of a recipe that a make ran, as the recipe shell noted it.
package struct RecipeRecord: Sendable, Equatable {
  /// Tells it from every other.
  package let id: String
  /// The line in which its make was started; empty for those of the outermost make.
  package let parent: String
  /// The process of its make.
  package let make: String
  /// Begin and end in nanoseconds of one clock.
  package let begin, end: Int64
  /// The folder of its make.
  package let folder: String
  /// The target of the recipe.
  package let target: String

  package init(
    id: String, parent: String, make: String, begin: Int64, end: Int64, folder: String,
    target: String
  ) {
    self.id = id
    self.parent = parent
    self.make = make
    (self.begin, self.end) = (begin, end)
    self.folder = folder
    self.target = target
  }

  private static let fields = 7

  /// The records of the log at `path`.
  package static func read(at path: String) throws(TaskGraphError) -> [RecipeRecord] {
    try read(try FileBytes.read(path), path: path)
  }

  /// The records of a log, in the order in which their lines ended.
  ///
  /// Throws for what no recipe shell has written. O(bytes).
  package static func read(_ log: [UInt8], path: String) throws(TaskGraphError) -> [RecipeRecord] {
    let texts = log.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    // Behind the last zero byte is nothing, which is one text more.
    guard texts.count % fields == 1, texts.last == "" else {
      throw damaged(path, "it has \(texts.count - 1) texts")
    }
    var records: [RecipeRecord] = []
    for start in stride(from: 0, to: texts.count - 1, by: fields) {
      guard let begin = Int64(texts[start + 3]), let end = Int64(texts[start + 4]), end >= begin
      else { throw damaged(path, "record \(start / fields + 1) has no times") }
      records.append(
        RecipeRecord(
          id: texts[start], parent: texts[start + 1], make: texts[start + 2], begin: begin,
          end: end, folder: texts[start + 5], target: texts[start + 6]))
    }
    return records
  }

  private static func damaged(_ path: String, _ finding: String) -> TaskGraphError {
    TaskGraphError(
      path: path, finding: "the log of recipes is damaged: \(finding)",
      expectation: "\(fields) texts for each recipe line",
      remedy: "see whether there is room on the disk, and record again")
  }
}
