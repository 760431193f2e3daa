// SPDX-License-Identifier: Apache-2.0

// When a machine counts as busy: what `doctor` finds and what a run says below its table follow the
// same bounds.

extension EnvironmentProbe {
  /// Share of the CPU time that a hypervisor may keep.
  static let mostSteal = 0.01

  /// What was busy from the making of the probe until now, a few words each; empty on a quiet
  /// machine.
  package func disturbances() -> [String] {
    disturbances(LoadReading.now(facts))
  }

  func disturbances(_ after: LoadReading) -> [String] {
    var found: [String] = []
    if isLoaded {
      let threads = facts.usableThreads
      found.append(
        "load \(decimal(before.load ?? 0, digits: 1)) on \(threads) processor\(threads == 1 ? "" : "s") "
          + "at the start")
    } else if let percent = doubtfulPressure {
      found.append(
        "threads queued for CPUs in \(decimal(percent, digits: 1)) % of the 10 s before it")
    }
    if facts.usableThreads >= 2, let speedup = doubtfulSpeedup {
      found.append("two threads did \(decimal(speedup, digits: 2)) times the work of one")
    }
    if let stolen = growth(\.stealTicks, after), let all = growth(\.allTicks, after), all > 0,
      stolen / all > Self.mostSteal
    {
      found.append("the host kept \(decimal(100 * stolen / all, digits: 1)) % of the CPU time")
    }
    if let times = growth(\.heatThrottles, after), times > 0 {
      found.append("heat slowed the processor down")
    }
    return found
  }

  private func growth(_ ticks: KeyPath<LoadReading, Int64?>, _ after: LoadReading) -> Double? {
    guard let old = before[keyPath: ticks], let new = after[keyPath: ticks] else { return nil }
    return Double(new - old)
  }

  /// Other programs have threads to run for a good part of the CPUs.
  var isLoaded: Bool {
    (before.otherRunnable ?? 0) >= facts.usableThreads
      || (before.load ?? 0) > 0.5 * Double(facts.usableThreads)
  }

  /// How much two threads do in the time of one, when that is not twice as much.
  var doubtfulSpeedup: Double? {
    figures.twoThreadSpeedup.flatMap { (1.8...2.2).contains($0) ? nil : $0 }
  }

  /// The share of the last ten seconds in which some thread waited for a CPU, in percent, when it
  /// is large.
  var doubtfulPressure: Double? { before.pressurePercent.flatMap { $0 > 5 ? $0 : nil } }
}
