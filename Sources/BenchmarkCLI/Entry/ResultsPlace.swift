// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Results

/// The two files that a run writes.
package struct ResultsPlace: Sendable, Equatable {
  /// Path of the CSV.
  package let csv: String
  /// Path of the machine's description, beside it.
  package let environment: String
  /// True when an existing file may be replaced.
  package let overwrites: Bool

  /// Where `--output` puts them: the description gets `.env.csv` in place of `.csv`.
  package init(output: String, overwrites: Bool) {
    csv = output
    let stem = output.hasSuffix(".csv") ? String(output.dropLast(4)) : output
    environment = stem + ".env.csv"
    self.overwrites = overwrites
  }

  /// Where a run without `--output` puts them: `runs` in the results folder, named after the run.
  package init(resultsFolder: String, run: RunID) {
    csv = "\(resultsFolder)/runs/\(run.text).csv"
    environment = "\(resultsFolder)/runs/\(run.text).env.csv"
    overwrites = false
  }

  /// The suite's own results folder when the program runs from the suite's package, else `./results`.
  ///
  /// - Parameter starts: folders from which to look upwards, the first hit wins.
  package static func resultsFolder(lookingUpFrom starts: [String]) -> String {
    for start in starts {
      if let package = packageFolder(above: start, where: isSuite) { return package + "/results" }
    }
    return "results"
  }

  /// The nearest folder at or above `start` whose manifest satisfies the condition.
  static func packageFolder(above start: String, where accepts: (String) -> Bool) -> String? {
    var pieces = start.split(separator: "/")[...]
    while true {
      let folder = "/" + pieces.joined(separator: "/")
      let manifest = folder == "/" ? "/Package.swift" : folder + "/Package.swift"
      if File.exists(manifest), accepts(manifest) { return folder }
      if pieces.isEmpty { return nil }
      pieces.removeLast()
    }
  }

  private static func isSuite(_ manifest: String) -> Bool {
    guard let bytes = try? File.read(manifest) else { return false }
    return String(decoding: bytes, as: UTF8.self).contains("name: \"scheduler-bench\"")
  }

  /// Makes sure, before anything is measured, that the files can be written.
  ///
  /// - Throws: 64 when a file exists and may not be replaced, 73 when its folder cannot be used.
  package func prepare(makesFolder: Bool) throws(ToolFailure) {
    for path in [csv, environment] {
      if File.isDirectory(path) {
        throw ToolFailure(
          .cannotCreate, place: path, finding: "a directory", expectation: "a file name",
          nextStep: "name a file in it")
      }
      if File.exists(path), !overwrites {
        throw .usage(
          path, "the file exists", expected: "a new file",
          next: "choose another name, or replace it with --force")
      }
    }
    let folder = File.directory(of: csv)
    if makesFolder {
      do throws(FileError) { try File.makeDirectories(folder) } catch { throw Self.failure(error) }
    }
    guard File.isDirectory(folder) else {
      throw ToolFailure(
        .cannotCreate, place: csv, finding: "`\(folder)` is no directory",
        expectation: "an existing directory", nextStep: "make it, or choose another place")
    }
    // SAFETY: the text lives through the call.
    guard unsafe access(folder, W_OK | X_OK) == 0 else {
      throw ToolFailure(
        .cannotCreate, place: csv, finding: "no permission to write in `\(folder)`",
        expectation: "a directory that this user may write in", nextStep: "choose another place")
    }
  }

  /// Writes both files, the description first, so that a CSV is never without it.
  package func write(rows: [UInt8], environment bytes: [UInt8]) throws(ToolFailure) {
    do throws(FileError) {
      try AtomicFile.write(bytes, to: environment, overwrite: overwrites)
      try AtomicFile.write(rows, to: csv, overwrite: overwrites)
    } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: FileError) -> ToolFailure {
    let code: ExitCode =
      switch error.reason {
      case .alreadyExists, .notFound, .notPermitted, .isDirectory, .notDirectory: .cannotCreate
      case .noSpace, .other: .inputOutput
      }
    return ToolFailure(code, place: "bench", finding: "cannot write \(error)")
  }
}
