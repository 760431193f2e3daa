// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// What the user wants measured and shown, in the terms of this room.
package struct RunRequest: Sendable {
  /// What stdout shows.
  package enum Format: String, Sendable { case text, csv, json, markdown }

  /// How a replayed task spends its duration.
  package enum ReplayBody: String, Sendable { case spin, work }

  package var workloadNames: [String] = []
  package var filter: String?
  package var schedulers: [String]?
  package var references: [String] = []
  package var workers: [Int]?
  package var cpus: Int?
  package var axes: [AxisSelection] = []
  package var graphs: [String] = []
  package var timeScale: Double?
  package var body = ReplayBody.spin
  /// Options given that mean something for a replay only, as typed.
  package var replayOptions: [String] = []
  package var isQuick = false
  package var budget: Duration?
  package var seed: UInt64?
  package var processes: Int?
  package var systemAllocator = false
  /// Path of the CSV; `-` for standard output.
  package var output: String?
  package var force = false
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
    workloadNames = parsed.words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    filter = parsed.text(.filter)
    schedulers = parsed.names(.scheduler)
    references = parsed.names(.reference) ?? []
    workers = parsed.counts(.workers)
    cpus = parsed.count(.cpus)
    axes = parsed.axes
    graphs = parsed.texts(.graph).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    timeScale = parsed.factor(.timeScale)
    body = parsed.text(.body).flatMap(ReplayBody.init) ?? .spin
    if timeScale != nil { replayOptions.append(OptionName.timeScale.flag) }
    if parsed.text(.body) != nil { replayOptions.append(OptionName.body.flag) }
    isQuick = parsed.isOn(.quick)
    budget = parsed.duration(.budget)
    seed = parsed.seed
    processes = parsed.count(.processes)
    systemAllocator = parsed.text(.allocator) == "system"
    output = parsed.text(.output)
    force = parsed.isOn(.force)
    format = parsed.text(.format).flatMap(Format.init) ?? (output == "-" ? .csv : .text)
    guard output != "-" || format == .csv else {
      throw .usage(
        OptionName.output.flag,
        "`-` puts the CSV on standard output, where \(format.rawValue) goes",
        expected: "one of the two", next: "leave out --format, or name a file")
    }
    allowDebug = parsed.isOn(.allowDebug)
    dryRun = parsed.isOn(.dryRun)
    color = parsed.text(.color)
    showsProgress = !parsed.isOn(.noProgress)
    quiet = parsed.isOn(.quiet)
  }

  /// True when the figures go to standard output and to no file.
  package var outputIsStandard: Bool { output == "-" }

  /// Rounds, which is processes per scheduler: what was asked for, else 8, or the 6 that can be
  /// ranked for a quick look.
  package var rounds: Int { processes ?? (isQuick ? Orchestrator.leastRoundsForInterval : 8) }

  /// Time to measure for: what was asked for, else 80 s, or 12 s for a quick look.
  package var totalBudget: Duration { budget ?? (isQuick ? .seconds(12) : .seconds(80)) }

  /// Allocator of the measured processes.
  var allocator: Allocator { systemAllocator ? .system : .jemalloc }
}
