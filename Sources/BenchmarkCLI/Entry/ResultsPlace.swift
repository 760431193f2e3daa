// SPDX-License-Identifier: Apache-2.0

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

  /// The paths without those that are the machine's description beside another, so that `*.csv`
  /// names runs.
  static func runs(among paths: [String]) -> [String] {
    let environments = Set(paths.map { ResultsPlace(output: $0, overwrites: false).environment })
    return paths.filter { !environments.contains($0) }
  }

  /// Makes sure, before anything is measured, that the files can be written: by writing small ones.
  ///
  /// - Throws: 64 when a file exists and may not be replaced, 73 or 74 when the place cannot be
  ///   used.
  package func prepare(makesFolder: Bool) throws(ToolFailure) {
    let folder = File.directory(of: csv)
    do throws(FileError) {
      if makesFolder { try File.makeDirectories(folder) }
      guard try File.kind(folder) == .directory else {
        throw FileError.notDirectory(folder)
      }
      for path in [csv, environment] { try AtomicFile.rehearse(path, overwrite: overwrites) }
    } catch { throw ToolFailure(writing: error) }
  }

  /// Writes both files, of which none appears when one cannot be written.
  package func write(rows: [UInt8], environment bytes: [UInt8]) throws(ToolFailure) {
    do throws(FileError) {
      try AtomicFile.write([(environment, bytes), (csv, rows)], overwrite: overwrites)
    } catch { throw ToolFailure(writing: error) }
  }
}
