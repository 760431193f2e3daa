// SPDX-License-Identifier: Apache-2.0

/// Names a figure: which metric, and which statistic of it.
package struct FigureKey: Hashable, Sendable {
  package let metric: Metric
  package let statistic: Statistic

  package init(_ metric: Metric, _ statistic: Statistic) {
    self.metric = metric
    self.statistic = statistic
  }
}
