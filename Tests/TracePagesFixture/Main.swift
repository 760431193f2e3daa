// SPDX-License-Identifier: Apache-2.0

import Results
import TracePages
import TraceSamples
import Traces

/// Writes every picture and export of sample recordings below the folder that is its first argument,
/// for the scripts that give them to their readers.
///
/// The second argument is how many layers of a hundred operations the recording has.
@main
struct TracePagesFixture {
  static func main() throws {
    guard CommandLine.arguments.count == 3, let layers = Int(CommandLine.arguments[2]) else {
      fatalError("TracePagesFixture: expected two arguments: a folder and how many layers")
    }
    let folder = CommandLine.arguments[1]
    let trace = PlausibleTrace(layers: layers, width: 100, workers: 4, seed: 1).made()
    try File.makeDirectories(folder)
    func write(_ bytes: [UInt8], to name: String) throws {
      try AtomicFile.write(bytes, to: "\(folder)/\(name)", overwrite: true)
    }
    try write(TracePages.perfetto(trace), to: "perfetto.json")
    try write(TracePages.operationsCSV(trace), to: "operations.csv")
    for weight in FoldedWeight.allCases {
      try write(TracePages.folded(trace, weight: weight), to: "\(weight.rawValue).folded")
    }
  }
}
