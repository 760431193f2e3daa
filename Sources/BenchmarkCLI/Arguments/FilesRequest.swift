// SPDX-License-Identifier: Apache-2.0

/// Which two results files `compare` is to set side by side, and how.
struct FilesRequest: Sendable {
  /// How the comparison is shown; there are no rows of it.
  enum Format: String, CaseIterable, Sendable { case text, json, markdown }

  /// Path of the earlier run; `-` for standard input.
  let base: String
  /// Path of the later run; `-` for standard input.
  let candidate: String
  let format: Format
  let color: String?

  /// The request of a parsed command line; nil when it names no file.
  ///
  /// An environment file beside a results file that is named too is left out, as by `report`.
  /// - Throws: 64 unless there are two files and nothing that is about measuring.
  init?(_ parsed: ParsedArguments) throws(ToolFailure) {
    guard !parsed.files.isEmpty else { return nil }
    if let word = parsed.words.first(where: { !parsed.files.contains($0) }) {
      throw .usage(
        word.isEmpty ? "FILE" : word,
        word.isEmpty ? "the name is empty" : "no results file, beside \(parsed.files[0])",
        expected: "two results files, or workloads alone", next: "leave out one or the other")
    }
    let paths = ResultsPlace.runs(among: parsed.files)
    guard paths.count == 2, paths.count(where: { $0 == "-" }) < 2 else {
      throw .usage(
        "FILE", paths.count == 2 ? "standard input is named twice" : Self.count(paths.count),
        expected: "bench compare A.csv B.csv",
        next: "`bench report` shows any number of them one after the other")
    }
    let measuring = OptionName.allCases.first {
      parsed.typed.contains($0) && !Self.options.contains($0)
    }
    if let measuring {
      throw .usage(
        measuring.flag, "it is about measuring, and \(paths[0]) and \(paths[1]) are measured",
        expected: Self.options.map(\.flag).joined(separator: ", "),
        next: "leave it out, or compare anew: workloads instead of files")
    }
    let word = parsed.text(.format) ?? Format.text.rawValue
    guard let format = Format(rawValue: word) else {
      throw .usage(
        "--format", "`\(word)` has the rows of a measurement, and files are compared without one",
        expected: Format.allCases.map(\.rawValue).joined(separator: ", "),
        next: "`bench report \(paths[0]) \(paths[1]) --format csv` has the rows of both")
    }
    (base, candidate) = (paths[0], paths[1])
    self.format = format
    color = parsed.text(.color)
  }

  /// What may stand beside files.
  private static let options: [OptionName] = [.format, .color, .quiet, .noProgress]

  private static func count(_ files: Int) -> String {
    "\(files) results file\(files == 1 ? " is" : "s are") named"
  }
}
