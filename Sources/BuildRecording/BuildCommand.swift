// SPDX-License-Identifier: Apache-2.0

package import TaskGraphFiles

/// The command line of a build that can be recorded.
package enum BuildCommand: Sendable {
  case ninja(NinjaCommand)
  case make(MakeCommand)

  /// Tells by the name of the program, whatever its folder, which build it is.
  ///
  /// Throws for a program that is neither, and for options with which nothing is built.
  package init(_ words: [String]) throws(RecordingFailure) {
    guard let program = words.first, !program.isEmpty else {
      throw RecordingFailure(
        .command, place: "record", finding: "no command is named",
        expectation: "`-- ninja …` or `-- make …`, or --import FILE",
        nextStep: "write the command of the build after `--`")
    }
    let name = program.split(separator: "/").last.map(String.init) ?? program
    if ["ninja", "ninja-build"].contains(name) {
      self = .ninja(try NinjaCommand(words))
    } else if ["make", "gmake", "gnumake"].contains(name) {
      self = .make(try MakeCommand(words))
    } else {
      throw RecordingFailure(
        .command, place: program, finding: "it is neither ninja nor make",
        expectation: "the command of a build by one of the two, such as `-- ninja -C out`",
        nextStep:
          "name the ninja or make that `\(name)` calls, or import the graph of another tool "
          + "with --import")
    }
  }

  /// What the graph is called: the folder of the build.
  package var name: String {
    switch self {
    case .ninja(let command): command.name
    case .make(let command): command.name
    }
  }

  /// Runs the build and makes a graph of what it ran.
  ///
  /// The build has this process's streams, and Ctrl-C is for it alone. Throws before it has run.
  /// Main thread only.
  package func record() throws(RecordingFailure) -> RecordedBuild {
    switch self {
    case .ninja(let command): try command.record()
    case .make(let command): try command.record()
    }
  }
}

/// What came of a build that was recorded.
package struct RecordedBuild: Sendable {
  /// Its exit code, or 128 and the number of the signal that ended it.
  package let code: Int32
  /// What it ran, or why nothing can be said of it.
  package let graph: Result<TaskGraph, RecordingFailure>
}
