// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Something that the processor counts, by the name that its figure has in the registry.
package enum HardwareEvent: String, CaseIterable, Sendable {
  /// Instructions of the program that were completed.
  case instructions = "hardware-instructions"
  /// Cycles in which the program ran, at whatever frequency.
  case cycles
  /// Accesses that the last level of cache did not have, as the processor defines them.
  case cacheMisses = "cache-misses"

  /// What the kernel knows it by.
  var source: CounterSource {
    let event =
      switch self {
      case .instructions: PERF_COUNT_HW_INSTRUCTIONS
      case .cycles: PERF_COUNT_HW_CPU_CYCLES
      case .cacheMisses: PERF_COUNT_HW_CACHE_MISSES
      }
    return CounterSource(type: PERF_TYPE_HARDWARE.rawValue, config: UInt64(event.rawValue))
  }
}

/// An event of perf_event_open(2), by the numbers of its header.
package struct CounterSource: Hashable, Sendable {
  /// Who counts: the processor, or the kernel itself.
  var type: UInt32
  /// What.
  var config: UInt64

  /// Nanoseconds of processor time; every kernel counts them.
  package static let taskClock = CounterSource(
    type: PERF_TYPE_SOFTWARE.rawValue, config: UInt64(PERF_COUNT_SW_TASK_CLOCK.rawValue))
  /// Page faults; every kernel counts them.
  package static let pageFaults = CounterSource(
    type: PERF_TYPE_SOFTWARE.rawValue, config: UInt64(PERF_COUNT_SW_PAGE_FAULTS.rawValue))
}
