// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results

/// The command line with which a build measures one side of a pair by itself, in words that every
/// version with `--where` and `--output -` understands.
struct RunCommand {
  /// The program and its arguments.
  let words: [String]
  /// Changes to its environment.
  let environment = ["BENCH_NO_REEXEC=1"]

  /// - Parameter seed: that of the pair; nil for a try.
  init(_ plan: ComparisonPlan, group: Int, side: Int, seed: UInt64? = nil) {
    let point = plan.groups[group].point
    let contestant = point.contestants[side]
    var words = [plan.groups[group].executables[side], "run"]
    switch point.subject {
    case .workload(let name): words.append(name)
    case .graph(let path): words += ["--graph", path]
    }
    words += ["--scheduler", contestant.name, "--workers", "\(contestant.workers)"]
    if let cpus = point.cpus { words += ["--cpus", "\(cpus)"] }
    for (name, value) in contestant.parameters.entries { words += ["--where", "\(name)=\(value)"] }
    for (name, value) in contestant.knobs.entries { words += ["--where", "\(name)=\(value)"] }
    for (name, value) in point.settings.sorted(by: { $0.key < $1.key })
    where name != MeasurementGroup.fingerprintKey {
      words += ["--\(name)", value]
    }
    words += ["--processes", "1", "--budget", "200ms", "--allocator", plan.allocator.rawValue]
    words += ["--output", "-", "--format", "csv", "--quiet", "--no-progress"]
    if let seed { words += ["--seed", "\(seed)"] }
    self.words = words
  }

  /// What it said about its failure: its last line.
  static func complaint(of outcome: ExternalProgram.Outcome) -> String {
    let line = outcome.transcript.split(separator: "\n").last.map(String.init) ?? ""
    return line.isEmpty ? "exit code \(outcome.code)" : line
  }
}
