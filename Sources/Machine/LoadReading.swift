// SPDX-License-Identifier: Apache-2.0

/// How busy the machine is with other things, at one moment; differences of two readings tell what
/// a run suffered.
package struct LoadReading: Sendable {
  /// Runnable threads, averaged over a minute.
  package var load: Double?
  /// Threads of other processes that are runnable now.
  package var otherRunnable: Int?
  /// Ticks (1/100 s) kept by the hypervisor since the start of the machine.
  package var stealTicks: Int64?
  /// All ticks since then, of all CPUs.
  package var allTicks: Int64?
  /// Times the CPU quota stopped the control group.
  package var throttledPeriods: Int64?
  /// Microseconds during which some thread waited for a CPU.
  package var pressureMicroseconds: Int64?
  /// Share of the last ten seconds during which some thread waited for a CPU, in percent.
  package var pressurePercent: Double?
  /// Pages read back from swap.
  package var swappedInPages: Int64?
  /// Times a core in use was slowed down because it, or its package, was too hot.
  package var heatThrottles: Int64?

  /// Reads them; some 100 µs.
  package static func now(_ facts: MachineFacts) -> LoadReading {
    let files = facts.files
    var reading = LoadReading()
    let loads = (files.line("/proc/loadavg") ?? "").split(separator: " ")
    reading.load = loads.first.flatMap { Double($0) }
    if loads.count > 3, let running = loads[3].split(separator: "/").first.flatMap({ Int($0) }) {
      reading.otherRunnable = max(0, running - 1)
    }
    if let stat = files.text("/proc/stat", limit: 1024) {
      reading.stealTicks = DisturbanceProbe.stealTicks(inStat: stat)
      let line = stat.prefix { $0 != "\n" }.split(separator: " ").dropFirst()
      // The two last numbers, guests, are counted in the first two already.
      reading.allTicks = line.prefix(8).compactMap { Int64($0) }.reduce(0, +)
    }
    reading.throttledPeriods = facts.controlGroup.throttledPeriods(files)
    if let line = files.line("/proc/pressure/cpu"), line.hasPrefix("some ") {
      reading.pressureMicroseconds = field("total", in: line).flatMap { Int64($0) }
      reading.pressurePercent = field("avg10", in: line).flatMap { Double($0) }
    }
    if let text = files.text("/proc/vmstat") {
      reading.swappedInPages = MachineFacts.value(of: "pswpin", separator: " ", in: text)
        .flatMap { Int64($0) }
    }
    let counts = facts.throttleCountPaths.compactMap(files.number)
    reading.heatThrottles = counts.isEmpty ? nil : counts.reduce(0, +)
    return reading
  }

  /// What follows `name=` in a line of such pairs.
  private static func field(_ name: String, in line: String) -> Substring? {
    line.split(separator: " ").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
  }
}
