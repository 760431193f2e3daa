// SPDX-License-Identifier: Apache-2.0

/// The name of an option as typed after `--`.
package enum OptionName: String, CaseIterable, Sendable {
  case suite, filter, tag, scheduler, workers
  case axes = "where"
  case quick, budget, seed, processes, pairs, metric, tolerance, equivalence, allocator, cpus,
    allocations, samples, reference, graph
  case base, binary, limits
  case requireConclusive = "require-conclusive"
  case failOnImprovement = "fail-on-improvement"
  case buildOptions = "build-options"
  case timeScale = "time-scale"
  case body, output, force, format
  case allowDebug = "allow-debug"
  case dryRun = "dry-run"
  case color
  case noProgress = "no-progress"
  case quiet, check
  case history, since, commit
  case record, baseline, explain, counts
  case full
  case against, trace, perfetto, detail, recording
  case breakOver = "break-over"
  case sched, perf, heap
  case simulate, policy, overhead
  case importing = "import"

  /// As typed.
  package var flag: String { "--\(rawValue)" }

  /// The environment variable that stands for the option: `BENCH_TIME_SCALE` for `--time-scale`.
  package var environmentVariable: String {
    "BENCH_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }
}
