// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Reads the counters whose growth during a measurement makes its figures doubtful.
package struct DisturbanceProbe: Sendable {
  private let controlGroup: ControlGroup
  /// The CPUs that this process may use.
  private let processors: [Int]

  package init(controlGroup: ControlGroup = .ofThisProcess()) {
    self.controlGroup = controlGroup
    processors = MachineFacts.usableProcessors(.ofThisMachine).members
  }

  /// The counters now; some 0.1 ms.
  ///
  /// Whoever reads twice knows what others did in between once the children that it started have
  /// been reaped.
  package func read() -> Reading {
    let stat = SystemFiles.ofThisMachine.text("/proc/stat", limit: 1 << 18)
    return Reading(
      stealTicks: stat.flatMap(Self.stealTicks(inStat:)),
      throttledPeriods: controlGroup.throttledPeriods(),
      busyTicks: stat.flatMap { Self.busyTicks(of: processors, inStat: $0) },
      ownNanoseconds: shim_family_cpu_ns())
  }

  /// Counters since the machine, or the control group, was started.
  package struct Reading: Hashable, Sendable {
    package var stealTicks: Int64?
    package var throttledPeriods: Int64?
    /// Ticks (1/100 s) in which the CPUs that this process may use ran anybody.
    var busyTicks: Int64?
    /// Processor time of this process and of its reaped children.
    var ownNanoseconds: Int64 = 0

    /// What was added since `earlier`; nil where one of the two is unknown.
    package func since(_ earlier: Reading) -> Disturbance {
      Disturbance(
        stealTicks: difference(stealTicks, earlier.stealTicks),
        throttledPeriods: difference(throttledPeriods, earlier.throttledPeriods),
        foreignNanoseconds: difference(busyTicks, earlier.busyTicks).map {
          max(
            0, $0 * DisturbanceProbe.nanosecondsPerTick - (ownNanoseconds - earlier.ownNanoseconds))
        })
    }

    private func difference(_ now: Int64?, _ before: Int64?) -> Int64? {
      guard let now, let before else { return nil }
      return now - before
    }
  }

  /// How long a tick of /proc/stat is.
  package static let nanosecondsPerTick: Int64 = 10_000_000

  /// The eighth number of the line `cpu` of /proc/stat.
  static func stealTicks(inStat text: String) -> Int64? {
    guard let line = text.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
    return ticks(line)?[7]
  }

  /// All numbers up to it but idle and waiting for devices, of the lines of these CPUs.
  ///
  /// The kernel counts guests in the first two already. Nil unless it has a line for each CPU.
  static func busyTicks(of processors: [Int], inStat text: String) -> Int64? {
    let names = Set(processors.map { "cpu\($0)" })
    let lines = text.split(separator: "\n").prefix { $0.hasPrefix("cpu") }
    let counts = lines.filter { names.contains(String($0.prefix { $0 != " " })) }
      .compactMap(ticks).map { $0[0] + $0[1] + $0[2] + $0[5] + $0[6] }
    return names.isEmpty || counts.count != names.count ? nil : counts.reduce(0, +)
  }

  /// The first eight numbers of a line.
  private static func ticks(_ line: Substring) -> [Int64]? {
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int64($0) }
    return ticks.count == 8 ? ticks : nil
  }
}
