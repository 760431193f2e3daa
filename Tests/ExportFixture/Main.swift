// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Exports
import History
import Results
import Statistics

/// Writes the sample runs and histories in every format below the folder that is its only argument,
/// with their rows beside them, for `scripts/export-consumers`.
@main
struct ExportFixture {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      fatalError("ExportFixture: expected one argument, the folder to write to")
    }
    let folder = CommandLine.arguments[1]
    for (name, rows) in ExportSamples.all {
      let place = "\(folder)/\(name)"
      try File.makeDirectories(place)
      try write(table(of: rows), to: "\(place)/rows")
      let run = try ExportedRun(rows: rows, environment: ExportSamples.environment())
      for format in ExportFormat.allCases {
        try write(Array(format.export(run).text.utf8), to: "\(place)/\(format.rawValue)")
      }
    }
    try File.makeDirectories("\(folder)/otava")
    let otava = OtavaExport(HistorySamples.series)
    for file in otava.files { try write(Array(file.text.utf8), to: "\(folder)/otava/\(file.name)") }
    let planted = otava.tests + [otava.since, HistorySamples.commit(40)]
    try write(Array(planted.joined(separator: "\n").utf8), to: "\(folder)/otava/planted")
    let histogram = ExportSamples.histogram()
    let figures = ExportSamples.figures.map { "\($0.figure),\($0.count)\n" }.joined()
    try write(Array(figures.utf8), to: "\(folder)/figures.csv")
    try write(Array(histogram.encodedCompressedV2().utf8), to: "\(folder)/histogram.v2")
    try write(Array(histogram.percentileText().utf8), to: "\(folder)/histogram.hgrm")
  }

  /// The columns and the rows, with the separators of ASCII: some names are none that a CSV of ours
  /// may have.
  private static func table(of rows: [ResultRow]) -> [UInt8] {
    let header = Column.allCases.map(\.rawValue)
    let lines = [header] + rows.map { row in Column.allCases.map { row.text(of: $0) } }
    return Array(lines.map { $0.joined(separator: "\u{1F}") }.joined(separator: "\u{1E}").utf8)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    try AtomicFile.write(bytes, to: path, overwrite: true)
  }
}
