// SPDX-License-Identifier: Apache-2.0

internal import Analysis
package import Measurement

extension ReportContext {
  /// What is known of a run that has just ended.
  init(_ record: RunRecord, writer: RowWriter, session: RunSession) {
    self.init(record, writer: writer, disturbance: Self.disturbance(of: session))
  }

  /// What is known of a comparison that has just ended.
  init(_ record: ComparisonRecord, writer: RowWriter, session: RunSession) {
    self.init(
      seed: record.plan.seed, notes: record.plan.notes.map(\.text),
      disturbance: Self.disturbance(of: session),
      failures: Dictionary(
        writer.failures(record).map { (ContestantID($0.row), $0.story) },
        uniquingKeysWith: { first, _ in first }))
  }

  private static func disturbance(of session: RunSession) -> String? {
    let disturbances = session.disturbances
    guard !disturbances.isEmpty else { return nil }
    return "the machine was busy: \(disturbances.joined(separator: ", ")); see `bench doctor`."
  }

  /// The same, with what disturbed it.
  package init(_ record: RunRecord, writer: RowWriter, disturbance: String? = nil) {
    self.init(
      seed: record.plan.seed, notes: Self.notes(on: record),
      rankingSeconds: record.rankingSeconds, disturbance: disturbance,
      facts: Dictionary(
        record.plan.facts.map { ($0.benchmark, $0.facts) }, uniquingKeysWith: { first, _ in first }),
      failures: Dictionary(
        writer.failures(record).map { (ContestantID($0.row), "\($0.failure)") },
        uniquingKeysWith: { first, _ in first }))
  }

  /// What the plan remarked; not what it expected of the time, once the run has shown that.
  private static func notes(on record: RunRecord) -> [String] {
    record.plan.notes.filter { note in
      guard case .timeIsShort(_, _, let wanted, _) = note else { return true }
      return record.wasInterrupted && record.completeRounds < wanted
    }.map(\.text)
  }
}
