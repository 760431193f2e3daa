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
  package init(_ parsed: ParsedArguments) {
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
    format = parsed.text(.format).flatMap(Format.init) ?? .text
    allowDebug = parsed.isOn(.allowDebug)
    dryRun = parsed.isOn(.dryRun)
    color = parsed.text(.color)
    showsProgress = !parsed.isOn(.noProgress)
    quiet = parsed.isOn(.quiet)
  }

  /// Rounds, which is processes per scheduler: what was asked for, else 8, or 3 for a quick look.
  package var rounds: Int { processes ?? (isQuick ? 3 : 8) }

  /// Time to measure for: what was asked for, else 80 s, or 12 s for a quick look.
  package var totalBudget: Duration { budget ?? (isQuick ? .seconds(12) : .seconds(80)) }

  /// Allocator of the measured processes.
  var allocator: Allocator { systemAllocator ? .system : .jemalloc }
}
