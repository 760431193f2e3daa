// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Measurement

/// What the user wants measured and shown, in the terms of this room.
package struct RunRequest: Sendable {
  /// What stdout shows.
  package enum Format: String, CaseIterable, Sendable { case text, csv, json, markdown }

  /// What is measured; the graphs come from `graphPaths`, once they are read.
  package var measurement = MeasurementRequest()
  /// Paths of graph files, `-` for standard input.
  package var graphPaths: [String] = []
  /// The suite that says what is measured, or its file; nil when none does.
  package var suite: String?
  /// Options given that mean something for a replay only, as typed.
  package var replayOptions: [String] = []
  /// Path of the CSV; `-` for standard output.
  package var output: String?
  package var force = false
  /// Every timed iteration is written too.
  package var keepsSamples = false
  package var format = Format.text
  package var allowDebug = false
  package var dryRun = false
  package var color: String?
  package var showsProgress = true
  package var quiet = false

  /// A request for everything at default sizes.
  package init() {}

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when options contradict each other.
  package init(_ parsed: ParsedArguments) throws(ToolFailure) {
    measurement.workloadNames = Self.distinct(parsed.words)
    measurement.filter = parsed.text(.filter)
    measurement.tags = parsed.names(.tag)
    measurement.schedulers = parsed.names(.scheduler)
    measurement.references = parsed.names(.reference) ?? []
    measurement.workers = parsed.counts(.workers)
    measurement.cpus = parsed.count(.cpus)
    measurement.axes = parsed.axes
    graphPaths = parsed.texts(.graph)
    suite = parsed.suite?.name
    measurement.timeScale = parsed.factor(.timeScale)
    measurement.body = parsed.text(.body).flatMap(MeasurementRequest.ReplayBody.init) ?? .spin
    if measurement.timeScale != nil { replayOptions.append(OptionName.timeScale.flag) }
    if parsed.text(.body) != nil { replayOptions.append(OptionName.body.flag) }
    measurement.isQuick = parsed.isOn(.quick)
    measurement.budget = parsed.duration(.budget)
    measurement.seed = parsed.seed
    measurement.processes = parsed.count(.processes)
    measurement.countsAllocations = parsed.isOn(.allocations)
    measurement.allocator = parsed.text(.allocator).flatMap(Allocator.init) ?? .jemalloc
    output = parsed.text(.output)
    force = parsed.isOn(.force)
    format = parsed.text(.format).flatMap(Format.init) ?? (output == "-" ? .csv : .text)
    guard output != "-" || format == .csv else {
      throw .usage(
        OptionName.output.flag,
        "`-` puts the CSV on standard output, where \(format.rawValue) goes",
        expected: "one of the two", next: "leave out --format, or name a file")
    }
    keepsSamples = parsed.isOn(.samples)
    guard !(keepsSamples && outputIsStandard) else {
      throw .usage(
        OptionName.samples.flag, "the samples lie beside the CSV, and `--output -` makes no file",
        expected: "a file for the CSV", next: "name one with --output, or leave out --output")
    }
    allowDebug = parsed.isOn(.allowDebug)
    dryRun = parsed.isOn(.dryRun)
    color = parsed.text(.color)
    showsProgress = !parsed.isOn(.noProgress)
    quiet = parsed.isOn(.quiet)
  }

  /// True when the figures go to standard output and to no file.
  package var outputIsStandard: Bool { output == "-" }

  /// Refuses options that count for the replay of a graph only when there is none.
  package func checkReplayOptions() throws(ToolFailure) {
    guard graphPaths.isEmpty, let option = replayOptions.first else { return }
    throw .usage(
      option, "it counts for the replay of a graph only", expected: "--graph FILE with it",
      next: "leave \(option) out, or name a graph")
  }

  /// Each word once, in the order given.
  static func distinct(_ words: [String]) -> [String] {
    words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
