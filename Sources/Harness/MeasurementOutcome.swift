// SPDX-License-Identifier: Apache-2.0

/// How a child process ended.
package enum Termination: Hashable, Sendable, CustomStringConvertible {
  /// It exited with that code.
  case exited(Int32)
  /// A signal of that number ended it.
  case signalled(Int32)
  /// It exited, but its results cannot be read; why.
  case incomprehensible(String)

  /// Text for people.
  package var description: String {
    switch self {
    case .exited(let code): "exit code \(code)"
    case .signalled(let number): "signal \(number) (\(signalName(number)))"
    case .incomprehensible(let why): "unreadable results: \(why)"
    }
  }
}

/// Why a measurement has no figure.
package enum MeasurementFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The child died before it was done; with the end of what it wrote on stderr.
  case crashed(Termination, standardError: String)
  /// The child was not done at its deadline and was killed; with the end of what it wrote on stderr.
  case hung(deadline: Duration, standardError: String)
  /// An iteration computed something else than the serial reference.
  case wrongAnswer(String)
  /// It cannot be measured here: a word for the `quality` column, and the whole story.
  case unavailable(reason: String, detail: String)
  /// The user asked to stop.
  case interrupted

  /// The word for the `quality` column.
  package var qualityWord: String {
    switch self {
    case .crashed: "crashed"
    case .hung: "hung"
    case .wrongAnswer: "wrong-answer"
    case .unavailable(let reason, _): "unavailable:\(reason)"
    case .interrupted: "interrupted"
    }
  }

  /// Text for people, several lines where the child wrote something on stderr.
  package var description: String {
    switch self {
    case .crashed(let how, let text): withOutput("crashed: \(how)", text)
    case .hung(let deadline, let text): withOutput("hung: killed after \(deadline)", text)
    case .wrongAnswer(let message): "wrong answer: \(message)"
    case .unavailable(_, let detail): "unavailable: \(detail)"
    case .interrupted: "interrupted"
    }
  }

  private func withOutput(_ summary: String, _ output: String) -> String {
    output.isEmpty ? summary : summary + "; its last output:\n" + output
  }
}

/// What one child process measured; when it failed, what it had told until then, which is no figure.
package struct MeasurementOutcome: Sendable {
  /// Every timed iteration, in order.
  package var iterations: [IterationSample] = []
  /// Every latency sample of the timed iterations, in nanoseconds.
  package var latencies: [UInt64] = []
  /// Every queue delay of the timed iterations, in nanoseconds.
  package var queueDelays: [UInt64] = []
  /// Values of other metrics, one per report, by metric name.
  package var metrics: [String: [Double]] = [:]
  /// The child's largest resident set in bytes, by the kernel's high-water mark; nil when it did not get that far.
  package var peakRSS: Int?
  /// Allocator and version that the child proved to have; nil when it did not get that far.
  package var allocatorProof: String?
  /// Nanoseconds that one refresh of jemalloc's statistics took in the child; nil without jemalloc.
  package var jemallocEpochNanoseconds: Int64?
  /// What disturbed the machine while the child ran.
  package var disturbance = Disturbance()
  /// From spawn to the child's end.
  package var elapsedNanoseconds: UInt64 = 0
  /// Why there is no figure; nil when the measurement is complete.
  package var failure: MeasurementFailure?

  /// An outcome without figures.
  package init(failure: MeasurementFailure? = nil) { self.failure = failure }

  /// True when the child did all it was asked.
  package var isComplete: Bool { failure == nil }
}

/// What the machine did while a child ran that its figures cannot know.
package struct Disturbance: Hashable, Sendable {
  /// Ticks (1/100 s) that the hypervisor kept from this machine's CPUs; nil when the kernel does not say.
  package var stealTicks: Int64?
  /// Times the control group's CPU quota stopped it; nil when there is no quota.
  package var throttledPeriods: Int64?

  /// A disturbance with these counts.
  package init(stealTicks: Int64? = nil, throttledPeriods: Int64? = nil) {
    self.stealTicks = stealTicks
    self.throttledPeriods = throttledPeriods
  }
}
