// SPDX-License-Identifier: Apache-2.0

internal import Results

/// A figure that an export leaves out, and why: nothing goes missing without a word.
///
/// A plain value; any thread.
package struct Omission: Error, Sendable, Hashable, CustomStringConvertible {
  /// Why it is left out.
  package enum Reason: Sendable, Hashable {
    /// The rows have no figure; the quality that they give instead.
    case noFigure(quality: String)
    /// There are figures of processes and none over all of them.
    case noAggregate
    /// The figure is infinite or not a number.
    case notFinite
    /// The format knows smaller and bigger as better, and here neither is.
    case noDirection
    /// The format compares estimates; extremes and means move with single samples.
    case notAnEstimate
    /// The format is about times, and the case has none.
    case noTime
  }

  /// The figure in words: its case, metric and statistic.
  package let figure: String
  package let reason: Reason

  init(figure: String, reason: Reason) {
    self.figure = figure
    self.reason = reason
  }

  init(_ series: Series, reason: Reason) {
    self.init(figure: Self.name(of: series.subject, role: series.role), reason: reason)
  }

  /// The name of a figure in messages.
  static func name(of subject: Subject, role: Role?) -> String {
    "\(BenchmarkCase(subject, role: role).name) \(subject.metric.rawValue) "
      + subject.statistic.rawValue
  }

  /// Figure and reason, on one line.
  package var description: String {
    switch reason {
    case .noFigure(let quality): "\(figure): no figure (\(quality))"
    case .noAggregate: "\(figure): no row over all processes"
    case .notFinite: "\(figure): not a finite number"
    case .noDirection: "\(figure): neither smaller nor bigger is better"
    case .notAnEstimate: "\(figure): an extreme or a mean, which moves with single samples"
    case .noTime: "\(figure): its case has no time"
    }
  }
}
