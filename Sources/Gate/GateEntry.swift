// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// What was measured of one subject, for a gate to judge.
///
/// A plain value; any thread.
package struct GateEntry: Sendable {
  /// What is known of base and candidate.
  package enum Evidence: Sendable {
    /// They were measured in pairs.
    case pairs(PairEvidence)
    /// They were counted under valgrind; `base` is nil where only a limit asks for the candidate.
    case counts(base: OperationCounts.Count?, candidate: OperationCounts.Count)
    /// Nothing, and that is no fault of the code.
    case excluded(GateExclusion)
    /// Nothing, since measuring it failed; what happened, in a few words.
    case failed(String)
  }

  package let subject: GateSubject
  package let ruling: Ruling
  package let evidence: Evidence

  package init(subject: GateSubject, ruling: Ruling, evidence: Evidence) {
    self.subject = subject
    self.ruling = ruling
    self.evidence = evidence
  }
}

/// Base and candidate measured in pairs.
package struct PairEvidence: Sendable {
  /// Natural logarithms of candidate by base, one per pair in the order of measurement; finite.
  package let logRatios: [Double]
  /// Figures of the candidate, one per pair, in the unit of the metric; above 0.
  package let candidates: [Double]
  /// The looks that were planned before the first pair.
  package let design: SequentialDesign
  /// Pairs beside these in which a side has no figure above 0, which do not count.
  package let withoutFigure: Int

  /// Stops the process unless there is a pair, and as many ratios as figures.
  package init(
    logRatios: [Double], candidates: [Double], design: SequentialDesign, withoutFigure: Int = 0
  ) {
    guard !logRatios.isEmpty, logRatios.count == candidates.count else {
      fatalError(
        "PairEvidence: \(logRatios.count) ratios, \(candidates.count) figures; expected as many "
          + "figures as ratios and at least one")
    }
    self.logRatios = logRatios
    self.candidates = candidates
    self.design = design
    self.withoutFigure = withoutFigure
  }
}

/// Why a gate does not judge a subject.
package enum GateExclusion: Sendable, Hashable {
  /// A line of the limits file says so.
  case off(line: Int)
  /// Nothing says how much worse it may be: it is informational.
  case informational
  /// The machine's certificate: pairs as planned find no difference smaller than this fraction.
  case tooNoisy(detectable: Double)
  /// The time was over before its first pair.
  case noTime
  /// The baseline has no count of it.
  case noBase
  /// One of the builds does not have it.
  case lacking
  /// So few operations lie beyond the percentile that a handful of them decide it.
  case fewBeyond(operations: Int)
}
