// SPDX-License-Identifier: Apache-2.0

/// Reads the counters whose growth during a measurement makes its figures doubtful.
package struct DisturbanceProbe: Sendable {
  private let controlGroup: ControlGroup

  package init(controlGroup: ControlGroup = .ofThisProcess()) { self.controlGroup = controlGroup }

  /// The counters now; some 30 µs.
  package func read() -> Reading {
    Reading(
      stealTicks: SystemFiles.ofThisMachine.text("/proc/stat", limit: 1024)
        .flatMap(Self.stealTicks(inStat:)),
      throttledPeriods: controlGroup.throttledPeriods())
  }

  /// Counters since the machine, or the control group, was started.
  package struct Reading: Hashable, Sendable {
    package var stealTicks: Int64?
    package var throttledPeriods: Int64?

    /// What was added since `earlier`; nil where one of the two is unknown.
    package func since(_ earlier: Reading) -> Disturbance {
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
