// SPDX-License-Identifier: Apache-2.0

import Foundation
import Results
import TracePages
import TraceSamples
import Traces

/// Writes every picture and export of sample recordings below the folder that is its first
/// argument, for the scripts that give them to their readers.
///
/// The second argument is how many layers the recording has, the third how many operations each.
@main
struct TracePagesFixture {
  static func main() throws {
    guard CommandLine.arguments.count == 4, let layers = Int(CommandLine.arguments[2]),
      let width = Int(CommandLine.arguments[3]), layers > 0, width > 0
    else {
      fatalError("TracePagesFixture: expected a folder, how many layers, and their width")
    }
    let folder = CommandLine.arguments[1]
    let trace = PlausibleTrace(layers: layers, width: width, workers: 4, seed: 1).made()
    let report = TraceReport(trace)
    try File.makeDirectories(folder)
    func write(_ bytes: [UInt8], to name: String) throws {
      try AtomicFile.write(bytes, to: "\(folder)/\(name)", overwrite: true)
    }
    let facts = "edges \(trace.edges.count)\nworkers \(trace.header.workers)\n"
    try write(Array(facts.utf8), to: "facts.txt")
    try write(TracePages.svg(trace), to: "timeline.svg")
    try write(TracePages.perfetto(trace), to: "perfetto.json")
    try write(TracePages.operationsCSV(trace, report: report), to: "operations.csv")
    let charts = try ChartLibrary.installed(environment: ProcessInfo.processInfo.environment)
    let parts = RealisedPath.Part.allCases.compactMap { part in
      report.graph.map { (part: part, nanoseconds: $0.realisedPath[part]) }
    }
    let makespan = UInt64(report.window.makespan)
    let comparison = PageComparison(
      sentence: "another took a sixth longer.",
      first: PageComparison.Side(
        scheduler: "this", page: "profile.html",
        times: (makespan * 9 / 10, makespan, makespan * 11 / 10), parts: parts),
      second: PageComparison.Side(
        scheduler: "another", page: "profile-another.html",
        times: (makespan * 11 / 10, makespan * 7 / 6, makespan * 12 / 10), parts: parts))
    try write(
      TracePages.html(trace, report: report, comparison: (comparison, place: 0), charts: charts),
      to: "profile.html")
    for weight in FoldedWeight.allCases {
      try write(TracePages.folded(trace, weight: weight), to: "\(weight.rawValue).folded")
    }
  }
}
