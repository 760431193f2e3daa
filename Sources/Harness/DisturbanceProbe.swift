// SPDX-License-Identifier: Apache-2.0

/// Reads the counters whose growth during a measurement makes its figures doubtful.
struct DisturbanceProbe: Sendable {
  private let controlGroup: ControlGroup

  init(controlGroup: ControlGroup = .ofThisProcess()) { self.controlGroup = controlGroup }

  /// The counters now; some 30 µs.
  func read() -> Reading {
    Reading(
      stealTicks: SystemFile.text("/proc/stat", limit: 1024).flatMap(Self.stealTicks(inStat:)),
      throttledPeriods: controlGroup.throttledPeriods())
  }

  /// Counters since the machine, or the control group, was started.
  struct Reading: Hashable, Sendable {
    var stealTicks: Int64?
    var throttledPeriods: Int64?

    /// What was added since `earlier`; nil where one of the two is unknown.
    func since(_ earlier: Reading) -> Disturbance {
      Disturbance(
        stealTicks: difference(stealTicks, earlier.stealTicks),
        throttledPeriods: difference(throttledPeriods, earlier.throttledPeriods))
    }

    private func difference(_ now: Int64?, _ before: Int64?) -> Int64? {
      guard let now, let before else { return nil }
      return now - before
    }
  }

  /// The eighth number of the line `cpu` of /proc/stat.
  static func stealTicks(inStat text: String) -> Int64? {
    guard let line = text.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
    let fields = line.split(separator: " ")
    return fields.count > 8 ? Int64(fields[8]) : nil
  }
}
