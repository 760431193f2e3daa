// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Scheduling

/// By what a scheduler is slower than it could be; nothing by default.
struct Handicap: Sendable {
  /// Nanoseconds that a worker spins before each job.
  var spin = 0
  /// Objects that are made before each job, and one dropped for each.
  var allocations = 0
  /// Each so manieth signal is not sent; 0 for none.
  var lostSignals = 0
  /// Whether thieves take the newest job, which is the smallest where jobs divide, and leave the
  /// oldest to the owner.
  var stealsNewest = false

  static let knobs: [SchedulerKnob] = [
    SchedulerKnob(
      name: "pop-spin-ns", summary: "ns that a worker spins before each job",
      numbers: 0...1_000_000,
      default: 0),
    SchedulerKnob(
      name: "pop-allocations", summary: "objects made before each job", numbers: 0...1000,
      default: 0),
    SchedulerKnob(
      name: "lost-wake-ups", summary: "each so manieth wake-up is not sent; 0 for none",
      numbers: 0...1_000_000, default: 0),
    SchedulerKnob(
      name: "steal", summary: "which job thieves take; the owner takes the other end",
      words: ["oldest", "newest"],
      default: "oldest"),
  ]

  init(_ settings: KnobSettings) {
    spin = settings["pop-spin-ns"]?.number ?? 0
    allocations = settings["pop-allocations"]?.number ?? 0
    lostSignals = settings["lost-wake-ups"]?.number ?? 0
    stealsNewest = settings["steal"]?.word == "newest"
  }

  /// How many of the signals with these numbers are not sent.
  func signalsLost(from start: Int, to end: Int) -> Int {
    lostSignals == 0 ? 0 : end / lostSignals - start / lostSignals
  }
}

/// What one worker does before each job; of that thread alone.
final class Ballast {
  private let handicap: Handicap
  private var held: [AnyObject] = []

  init(_ handicap: Handicap) { self.handicap = handicap }

  func carry() {
    if handicap.spin > 0 {
      let end = DispatchTime.now().uptimeNanoseconds + UInt64(handicap.spin)
      while DispatchTime.now().uptimeNanoseconds < end {}
    }
    guard handicap.allocations > 0 else { return }
    held.removeAll(keepingCapacity: true)
    for _ in 0..<handicap.allocations { held.append(Stone()) }
  }

  /// An object, for its memory.
  private final class Stone {}
}
