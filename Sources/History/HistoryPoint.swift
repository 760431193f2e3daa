// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// One line of a history: what one commit measured against the pinned reference.
///
/// The ratio is taken within one run, in pairs, so that what the machine does from day to day
/// cancels out. A plain value; any thread.
package struct HistoryPoint: Sendable, Hashable {
  /// When the point was added.
  package var added: Timestamp
  /// When the commit was made, by which a series is ordered.
  package var committed: Timestamp
  /// 40 hexadecimal digits.
  package var commit: String
  /// What the commit was on when it was measured; nil when no branch was checked out.
  package var branch: String?
  package var machineID: MachineID
  /// Which figure of whom.
  package var subject: Subject
  /// The figure of the commit divided by that of the reference, above 0; nil where an exact figure
  /// is 0 on either side.
  package var ratio: Double?
  /// The interval of the ratio; nil below the pairs that one takes.
  package var interval: Interval?
  /// The pairs behind the ratio, 1 or more.
  package var pairs: Int
  /// The median of the commit's figures, in the unit of the subject; 0 or more.
  package var value: Double
  /// The commit of the reference.
  package var reference: String
  /// The run that measured it.
  package var runID: RunID

  package init(
    added: Timestamp, committed: Timestamp, commit: String, branch: String?, machineID: MachineID,
    subject: Subject, ratio: Double?, interval: Interval?, pairs: Int, value: Double,
    reference: String, runID: RunID
  ) {
    self.added = added
    self.committed = committed
    self.commit = commit
    self.branch = branch
    self.machineID = machineID
    self.subject = subject
    self.ratio = ratio
    self.interval = interval
    self.pairs = pairs
    self.value = value
    self.reference = reference
    self.runID = runID
  }

  /// The series it belongs to.
  package var key: SeriesKey {
    SeriesKey(machineID: machineID, subject: subject, reference: reference)
  }

  /// What a series is made of: the value of an exact figure, else the ratio.
  package var figure: Double { subject.metric.isExact ? value : ratio ?? 1 }

  /// The cell of a column.
  func text(of column: HistoryColumn) -> String {
    switch column {
    case .added: added.text
    case .committed: committed.text
    case .commit: commit
    case .branch: branch ?? ""
    case .machineID: machineID.text
    case .suite: subject.suite
    case .benchmark: subject.benchmark
    case .params: subject.params.text
    case .scheduler: subject.scheduler
    case .allocator: subject.allocator
    case .metric: subject.metric.rawValue
    case .stat: subject.statistic.rawValue
    // `description` of a double is the shortest text that reads back as the same double.
    case .ratio: ratio?.description ?? ""
    case .ciLow: interval?.low.description ?? ""
    case .ciHigh: interval?.high.description ?? ""
    case .ciLevel: interval?.level.description ?? ""
    case .pairs: String(pairs)
    case .value: value.description
    case .reference: reference
    case .runID: runID.text
    }
  }
}

/// What the points of one series have in common.
package struct SeriesKey: Sendable, Hashable {
  package let machineID: MachineID
  package let subject: Subject
  /// The commit that the ratios are to.
  package let reference: String
}

extension Metric {
  /// Whether every run of the same code gives the same figure: any difference is a change then.
  package var isExact: Bool {
    switch self {
    case .tasks, .edges: true
    default: false
    }
  }
}
