// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// What a priority policy means for the worker loop, as constants that it reads instead of asking
/// for the policy.
struct BandRules: Sendable {
  /// Bands whose jobs go before an immediate successor of a less urgent one: all, or none.
  let obeyed: UInt8
  /// Whether a worker looks for more urgent jobs in the injector and on all victims.
  let looksOutside: Bool
  /// Whether every job goes into one band on its way in, so that nothing behind it sees any.
  let usesOneBand: Bool

  init(_ policy: PriorityPolicy) {
    obeyed = policy == .none ? 0 : .max
    looksOutside = policy == .strict
    usesOneBand = policy == .none
  }

  /// The band in which the pool's lists get a job of `band`.
  @inline(__always) func applied(to band: PriorityBand) -> PriorityBand {
    usesOneBand ? .normal : band
  }

  /// The jobs as the pool's lists get them.
  @inline(__always) func applied(to jobs: consuming JobChain) -> JobChain {
    usesOneBand ? jobs.inOneBand(.normal) : jobs
  }
}
