// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// How often failed work is tried again, and how long to wait before.
///
/// Before attempt k + 1 the wait is `delay` × `factor`^(k − 1), at most `largestDelay`, shortened
/// by up to `jitter` of itself. The jitter comes from `seed`, so that the same policy always waits
/// equally long.
public struct RetryPolicy: Sendable {
  /// How many attempts are made at most, the first one included; 1 or more.
  public let attempts: Int
  /// The wait after the first failed attempt; zero or more.
  public let delay: Duration
  /// What every wait multiplies the next one with; 1 or more.
  public let factor: Double
  /// The longest wait.
  public let largestDelay: Duration
  /// The part of a wait that chance may take away, 0 … 1.
  public let jitter: Double
  /// What the jitter is drawn from.
  public let seed: UInt64
  /// Whether an attempt that failed with this error is followed by another one.
  public let retries: @Sendable (any Error) -> Bool

  /// A policy; values out of range stop the process.
  public init(
    attempts: Int, delay: Duration = .zero, factor: Double = 2,
    largestDelay: Duration = .seconds(60), jitter: Double = 0.5, seed: UInt64 = 0,
    retries: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) {
    do {
      try self.init(
        validatingAttempts: attempts, delay: delay, factor: factor, largestDelay: largestDelay,
        jitter: jitter, seed: seed, retries: retries)
    } catch { error.fault("making a RetryPolicy") }
  }

  /// As `init(attempts:…)`, but throws `invalidRetryPolicy` for values out of range.
  public init(
    validatingAttempts attempts: Int, delay: Duration = .zero, factor: Double = 2,
    largestDelay: Duration = .seconds(60), jitter: Double = 0.5, seed: UInt64 = 0,
    retries: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) throws(OperationError) {
    let findings = [
      (attempts >= 1, "attempts is \(attempts); legal is 1 or more"),
      (delay >= .zero, "delay is \(delay); legal is zero or more"),
      (factor >= 1 && factor.isFinite, "factor is \(factor); legal is 1 or more"),
      (largestDelay >= delay, "largestDelay is \(largestDelay); legal is \(delay) or more"),
      ((0...1).contains(jitter), "jitter is \(jitter); legal is 0 … 1"),
    ]
    if let finding = findings.first(where: { !$0.0 }) { throw .invalidRetryPolicy(finding.1) }
    self.attempts = attempts
    self.delay = delay
    self.factor = factor
    self.largestDelay = largestDelay
    self.jitter = jitter
    self.seed = seed
    self.retries = retries
  }

  /// The waits before the second, third, … attempt.
  public var waits: [Duration] { (1..<attempts).map { wait(afterAttempt: $0) } }

  /// The wait after that many failed attempts.
  func wait(afterAttempt number: Int) -> Duration {
    var length = delay
    for _ in 1..<number where length < largestDelay { length = min(length * factor, largestDelay) }
    // A stream of its own per attempt, so that a wait does not depend on which others were drawn.
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let chance = Double(generator.next() >> 11) / Double(1 << 53)
    return length * (1 - jitter * chance)
  }
}
