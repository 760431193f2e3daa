// SPDX-License-Identifier: Apache-2.0

package import Results

/// What one comparison of a gate is about.
///
/// A plain value; any thread.
package struct GateSubject: Sendable, Hashable {
  package let workload: String
  /// Sizes, knobs and worker count.
  package let params: RowParameters
  package let scheduler: String
  package let figure: FigureKey

  package init(workload: String, params: RowParameters, scheduler: String, figure: FigureKey) {
    self.workload = workload
    self.params = params
    self.scheduler = scheduler
    self.figure = figure
  }

  /// The same contestant by another figure.
  func with(_ figure: FigureKey) -> GateSubject {
    GateSubject(workload: workload, params: params, scheduler: scheduler, figure: figure)
  }

  /// Whether both are about the same program on the same scheduler, whatever the figure.
  package func isSameContestant(as other: GateSubject) -> Bool {
    workload == other.workload && params == other.params && scheduler == other.scheduler
  }

  /// `chain on work-stealing, wall`; with the statistic where it is no median.
  package var text: String { "\(workload) on \(scheduler), \(figure.gateName)" }
}

extension FigureKey {
  /// As a limits file writes it: `wall`, or `latency:p99`.
  package var gateName: String {
    metric.rawValue + (statistic == .p50 ? "" : ":\(statistic.rawValue)")
  }
}
