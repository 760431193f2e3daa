// SPDX-License-Identifier: Apache-2.0

/// How much longer the run was with tracing than without.
package struct Perturbation: Sendable, Equatable {
  /// Traced over untraced time: 1.05 is five per cent longer.
  package let ratio: Double
  /// The interval of the ratio at `level`.
  package let low: Double
  package let high: Double
  package let level: Double

  package init(ratio: Double, low: Double, high: Double, level: Double = 0.95) {
    self.ratio = ratio
    self.low = low
    self.high = high
    self.level = level
  }

  /// Up to this ratio the traced run stands for the untraced one, in both directions.
  package static let limit = 1.15

  /// The traced run is another run.
  package var isTooLarge: Bool { ratio > Self.limit || ratio < 1 / Self.limit }

  /// The whole interval says so; otherwise the machine may be to blame, and not the recording.
  var isCertainlyTooLarge: Bool { low > Self.limit || high < 1 / Self.limit }
}

/// The answer to "why is it slow?" in one sentence.
package struct TraceVerdict: Sendable, Equatable {
  /// What takes most of the time that the workers had.
  package enum Finding: Sendable, Equatable {
    /// A cause of waiting for which workers were idle or lost.
    case waiting(WaitCause)
    /// Bodies: the workers were busy nearly all the time.
    case work
    /// The graph: workers had nothing that was ready.
    case graph
    /// The recording names no cause; the sentence says why.
    case none
  }

  package let finding: Finding
  /// One sentence with the largest cause, its figures, and what to try.
  package let sentence: String

  init(_ finding: Finding, _ sentence: String) {
    self.finding = finding
    self.sentence = sentence
  }

  /// Workers that are busy for this part of the run leave nothing to look for in the scheduler.
  private static let busyShare = 0.85
  /// A cause that busy workers hide is named from this part of the waiting on.
  private static let hiddenShare = 0.5

  init(
    _ trace: Trace, graph: TraceReport.WholeGraph, window: RunWindow, perturbation: Perturbation?
  ) {
    if let perturbation, perturbation.isTooLarge {
      self.init(.none, Self.sentence(perturbation))
      return
    }
    let finding = Self.finding(graph)
    let words = VerdictWords(trace, graph: graph, window: window)
    switch finding {
    case .waiting(let cause): self.init(finding, words.sentence(for: cause))
    case .work: self.init(finding, words.work)
    case .graph: self.init(finding, words.graphShape)
    case .none: self.init(finding, "Nothing ran and nothing waited; record a run with operations.")
    }
  }

  /// The verdict of a recording without analyses of the whole graph.
  init(_ refusal: TraceReport.Refusal) {
    switch refusal {
    case .droppedEvents(let count, let needed):
      self.init(
        .none,
        "\(count) events were overwritten before they were read, so no cause is named;"
          + " record again with rings of at least \(needed) events.")
    case .latencyDetail:
      self.init(
        .none,
        "Only ready, start and finish were recorded, so no cause is named;"
          + " record again with full detail.")
    case .cycle(let operations):
      self.init(
        .none,
        "\(operations) operations wait in a cycle or behind one, which no run can have, so no cause"
          + " is named; record again, and report a recording that repeats it.")
    case .nothingFinished:
      self.init(
        .none, "No operation finished, so no cause is named; record until some have finished.")
    }
  }

  private static func finding(_ graph: TraceReport.WholeGraph) -> Finding {
    let profile = graph.parallelism
    guard profile.capacity > 0 else { return .none }
    let waits = graph.causes.total
    // A worker that is held, or has a job and no processor, counts as occupied and is lost all the
    // same.
    for cause in [WaitCause.workerHeld, .operatingSystem] where waits.share(of: cause) > hiddenShare
    {
      return .waiting(cause)
    }
    if Double(profile.occupied) >= busyShare * Double(profile.capacity) { return .work }
    if profile.graphIdle >= max(profile.schedulerIdle, profile.policyIdle) { return .graph }
    let isPolicy = profile.policyIdle > profile.schedulerIdle
    let candidates = WaitCause.allCases.filter { cause in
      switch cause.origin {
      case .policy: isPolicy
      case .scheduler, .system, .unknown: !isPolicy
      case .graph: false
      }
    }
    let largest = candidates.max { waits[$0] < waits[$1] }
    guard let largest, waits[largest] > 0 else { return .graph }
    return .waiting(largest)
  }

  private static func sentence(_ perturbation: Perturbation) -> String {
    let change = (perturbation.ratio - 1) * 100
    let word = change < 0 ? "shorter" : "longer"
    let low = VerdictWords.number((perturbation.low - 1) * 100)
    let high = VerdictWords.number((perturbation.high - 1) * 100)
    let advice =
      perturbation.isCertainlyTooLarge
      ? "make the operations larger" : "it may be the machine: profile again when that is quieter"
    return
      "Tracing made the run \(VerdictWords.number(abs(change))) % \(word) (\(low) to \(high) %),"
      + " more than the \(VerdictWords.number((Perturbation.limit - 1) * 100)) % up to which a"
      + " recording stands for the run, so no cause is named; \(advice)."
  }
}
