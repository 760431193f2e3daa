// SPDX-License-Identifier: Apache-2.0

package import Results

/// The files that a run writes: two, and one more where the user wants the samples.
package struct ResultsPlace: Sendable, Equatable {
  /// Path of the CSV.
  package let csv: String
  /// Path of the machine's description, beside it.
  package let environment: String
  /// Path of the samples, beside them.
  package let samples: String
  /// True when an existing file may be replaced.
  package let overwrites: Bool

  /// Where `--output` puts them: the others get `.env.csv` and `.samples.csv` in place of `.csv`.
  package init(output: String, overwrites: Bool) {
    csv = output
    let stem = output.hasSuffix(".csv") ? String(output.dropLast(4)) : output
    environment = stem + ".env.csv"
    samples = stem + ".samples.csv"
    self.overwrites = overwrites
  }

  /// Where a run without `--output` puts them: `runs` in the results folder, named after the run.
  package init(resultsFolder: String, run: RunID) {
    self.init(output: "\(resultsFolder)/runs/\(run.text).csv", overwrites: false)
  }

  /// The paths without those that are the machine's description or the samples beside another, so
  /// that `*.csv` names runs.
  static func runs(among paths: [String]) -> [String] {
    let companions = Set(
      paths.lazy.map { ResultsPlace(output: $0, overwrites: false) }
        .flatMap { [$0.environment, $0.samples] })
    return paths.filter { !companions.contains($0) }
  }

  /// Makes sure, before anything is measured, that the files can be written: by writing small ones.
  ///
  /// - Parameter keepsSamples: whether there will be samples.
  /// - Throws: 64 when a file exists and may not be replaced, 73 or 74 when the place cannot be
  ///   used.
  package func prepare(makesFolder: Bool, keepsSamples: Bool = false) throws(ToolFailure) {
    let folder = File.directory(of: csv)
    do throws(FileError) {
      if makesFolder { try File.makeDirectories(folder) }
      guard try File.kind(folder) == .directory else {
        throw FileError.notDirectory(folder)
      }
      for path in [csv, environment] + (keepsSamples ? [samples] : []) {
        try AtomicFile.rehearse(path, overwrite: overwrites)
      }
    } catch { throw ToolFailure(writing: error) }
  }

  /// Writes the files, of which none appears when one cannot be written.
  ///
  /// - Parameter kept: the samples; nil for no file of them.
  package func write(
    rows: [UInt8], environment bytes: [UInt8], samples kept: [UInt8]? = nil
  ) throws(ToolFailure) {
    let files = [(environment, bytes)] + (kept.map { [(samples, $0)] } ?? []) + [(csv, rows)]
    do throws(FileError) {
      try AtomicFile.write(files, overwrite: overwrites)
    } catch { throw ToolFailure(writing: error) }
  }
}
