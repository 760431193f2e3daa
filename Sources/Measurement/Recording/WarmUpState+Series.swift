// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Statistics

extension WarmUpState {
  /// Iterations that decide the label: whoever has not settled by then has few others, and a longer
  /// series costs more than it tells.
  private static let mostLabelled = 1_000

  /// How the iteration times of a process behaved, the first of them.
  init(of outcome: MeasurementOutcome, labeller: inout SeriesLabeller) {
    let first = outcome.iterations.prefix(Self.mostLabelled)
    switch labeller.label(first.map { $0.perOperation($0.wallNanoseconds) }) {
    case .steady: self = .steady
    case .drifting: self = .drifting
    case .cyclic: self = .cyclic
    case .unknown: self = .unknown
    }
  }
}
