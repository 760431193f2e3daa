// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// What the kernel counts for every thread of a process.
///
/// A plain value; any thread. Source: getrusage(2).
struct ProcessUsage: Equatable, Sendable {
  /// Context switches because a thread waited.
  var voluntarySwitches: Int64 = 0
  /// Context switches because a thread was pre-empted.
  var involuntarySwitches: Int64 = 0
  /// Page faults without reading from a device.
  var minorFaults: Int64 = 0
  /// Page faults with reading from a device.
  var majorFaults: Int64 = 0
  /// Processor time in the program, in microseconds; the kernel divides what it measured between
  /// this and the next by samples, so that only sums over many ticks of its clock say something.
  var userMicroseconds: Int64 = 0
  /// Processor time in the kernel, in microseconds.
  var systemMicroseconds: Int64 = 0

  /// Of this process so far; one system call.
  static func now() -> ProcessUsage {
    let usage = shim_usage()
    return ProcessUsage(
      voluntarySwitches: usage.voluntary_switches, involuntarySwitches: usage.involuntary_switches,
      minorFaults: usage.minor_faults, majorFaults: usage.major_faults,
      userMicroseconds: usage.user_us, systemMicroseconds: usage.system_us)
  }

  static func - (late: ProcessUsage, early: ProcessUsage) -> ProcessUsage {
    late.combined(with: early, by: -)
  }

  static func += (sum: inout ProcessUsage, more: ProcessUsage) {
    sum = sum.combined(with: more, by: +)
  }

  private func combined(with other: Self, by operation: (Int64, Int64) -> Int64) -> Self {
    ProcessUsage(
      voluntarySwitches: operation(voluntarySwitches, other.voluntarySwitches),
      involuntarySwitches: operation(involuntarySwitches, other.involuntarySwitches),
      minorFaults: operation(minorFaults, other.minorFaults),
      majorFaults: operation(majorFaults, other.majorFaults),
      userMicroseconds: operation(userMicroseconds, other.userMicroseconds),
      systemMicroseconds: operation(systemMicroseconds, other.systemMicroseconds))
  }
}
