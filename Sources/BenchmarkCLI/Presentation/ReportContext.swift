// SPDX-License-Identifier: Apache-2.0

package import Analysis
internal import Results

/// What a report shows besides what rows say: known while a run is fresh, and optional.
package struct ReportContext: Sendable {
  /// Seed of the order, so that the run can be repeated.
  package var seed: UInt64?
  /// What was asked for and not measured, and the like; one line each.
  package var notes: [String]
  /// Time within which enough rounds end to rank schedulers, in seconds; nil unless the time that
  /// the user named was too short for that.
  package var rankingSeconds: Int?
  /// What there is by way of a certificate of the machine, in one line; nil where nobody looked.
  package var certificate: String?
  /// What disturbed the run, in one line; nil when nothing did.
  package var disturbance: String?
  /// What to know before the figures of a benchmark, by its name; one line each.
  package var facts: [String: [String]]
  /// Why a contestant failed, at length; without it the word of its rows stands there.
  package var failures: [ContestantID: String]
  /// Work of so many spinning threads over the work of one, measured behind the run; empty where
  /// nobody did.
  package var threadSpeedups: [Int: Double] = [:]

  package init(
    seed: UInt64? = nil, notes: [String] = [], rankingSeconds: Int? = nil,
    certificate: String? = nil, disturbance: String? = nil,
    facts: [String: [String]] = [:], failures: [ContestantID: String] = [:]
  ) {
    self.seed = seed
    self.notes = notes
    self.rankingSeconds = rankingSeconds
    self.certificate = certificate
    self.disturbance = disturbance
    self.facts = facts
    self.failures = failures
  }

  /// Why there is no verdict on whom a row is about: what happened to it, or to what it was
  /// compared with, which is the same system of other code.
  func story(_ row: ResultRow) -> String? {
    let own = ContestantID(row)
    return failures[own] ?? failures.first { $0.key.ofAnyCode == own.ofAnyCode }?.value
  }
}
