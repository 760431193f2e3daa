// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Results

/// The point at which two sides are compared, in words.
struct PairedPoint {
  /// The benchmark.
  let title: String
  /// Its sizes and the worker count.
  let subtitle: String

  init(_ result: PairedResult) {
    let base = result.base
    title = base.id.benchmark
    let others: Set<String> = [RowParameters.workers, RowParameters.cpus, RowParameters.graph]
    let sizes = base.id.params.entries.filter {
      !base.system.knobs.contains($0.name) && !others.contains($0.name)
    }.map { "\($0.name)=\($0.value)" }
    let counts = [base.workers, result.candidate.workers]
    let workers =
      counts[0] == counts[1]
      ? "\(counts[0]) worker\(counts[0] == 1 ? "" : "s")" : "\(counts[0]) and \(counts[1]) workers"
    let cpus = base.id.params[RowParameters.cpus].map {
      ["pinned to \($0) CPU\($0 == "1" ? "" : "s")"]
    }
    subtitle = (sizes + [workers] + (cpus ?? [])).joined(separator: " · ")
  }
}
