// SPDX-License-Identifier: Apache-2.0

internal import Analysis
package import Measurement

extension ReportContext {
  /// What is known of a run that has just ended.
  init(_ record: RunRecord, writer: RowWriter, session: RunSession) {
    let disturbances = session.disturbances
    self.init(
      record, writer: writer,
      disturbance: disturbances.isEmpty
        ? nil
        : "the machine was busy: \(disturbances.joined(separator: ", ")); see `bench doctor`.")
  }

  /// The same, with what disturbed it.
  package init(_ record: RunRecord, writer: RowWriter, disturbance: String? = nil) {
    self.init(
      seed: record.plan.seed, notes: record.plan.notes.map(\.text), disturbance: disturbance,
      facts: Dictionary(
        record.plan.facts.map { ($0.benchmark, $0.facts) }, uniquingKeysWith: { first, _ in first }),
      failures: Dictionary(
        writer.failures(record).map { (ContestantID($0.row), "\($0.failure)") },
        uniquingKeysWith: { first, _ in first }))
  }
}
