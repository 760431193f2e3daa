// SPDX-License-Identifier: Apache-2.0

/// Which build or file becomes a graph file, and where that goes.
struct RecordRequest: Sendable {
  /// What is recorded.
  enum Source: Sendable {
    /// The words of a build's command.
    case build([String])
    /// A graph file of another form, or a folder that Ninja has built in; `-` for standard input.
    case file(String)
  }

  let source: Source
  /// Path of the graph file; nil for one in the present folder with the name of what is recorded.
  let output: String?
  let force: Bool
  let quiet: Bool

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 unless there is either a command or a file.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    output = parsed.text(.output)
    force = parsed.isOn(.force)
    quiet = parsed.isOn(.quiet)
    let flag = OptionName.importing.flag
    switch (parsed.text(.importing), parsed.words.isEmpty) {
    case (nil, true):
      throw .usage(
        "record", "neither a command nor a file is named", expected: Verb.record.usage,
        next: "write the command of your build after `--`, such as `bench record -- ninja`")
    case (let path?, true): source = .file(path)
    case (nil, false): source = .build(parsed.words)
    case (_?, false):
      throw .usage(
        flag, "there is a file to import, and the command `\(parsed.words[0])`",
        expected: "one of the two", next: "leave out the command, or \(flag)")
    }
    if case .build = source, output == "-" {
      throw .usage(
        OptionName.output.flag, "standard output is the build's", expected: "a file for the graph",
        next: "name one, or leave out --output")
    }
  }
}
