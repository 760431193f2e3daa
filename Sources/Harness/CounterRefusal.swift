// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Why there are no figures of the processor's counters: told with every result, and by `doctor`.
package enum CounterRefusal: Error, Hashable, Sendable {
  /// This machine shows no such counter.
  case absent
  /// The kernel lets only privileged processes count.
  case paranoid
  /// Something between this process and the kernel refuses the call.
  case filtered
  /// The kernel was built without.
  case noKernelSupport
  /// Others had the counters for some of the time, or only some processors have them.
  case shared
  /// Threads come and go, so that nobody can say which of them counters would see.
  case restless
  /// Anything else, by its error number.
  case failed(Int32)

  /// Why perf_event_open(2) failed.
  init(error: Int32) {
    self =
      switch error {
      case ENOENT, ENODEV, EOPNOTSUPP: .absent
      case EACCES: .paranoid
      case EPERM: .filtered
      case ENOSYS: .noKernelSupport
      default: .failed(error)
      }
  }

  /// A word for the `quality` column.
  package var reason: String {
    switch self {
    case .absent: "no-pmu"
    case .paranoid: "perf_event_paranoid"
    case .filtered: "perf-events-filtered"
    case .noKernelSupport: "no-perf-events"
    case .shared: "pmu-shared"
    case .restless: "restless-threads"
    case .failed(let error): "perf-events-errno-\(error)"
    }
  }

  /// What was found.
  package var finding: String {
    switch self {
    case .absent: "this machine shows no counters"
    case .paranoid: "not permitted: kernel.perf_event_paranoid is above 2"
    case .filtered: "not permitted: a filter of system calls, as containers have"
    case .noKernelSupport: "the kernel has no perf events"
    case .shared: "others use the counters, or only some processors have them"
    case .restless: "threads come and go while counters are opened"
    case .failed(let error): errorText(error)
    }
  }

  /// What would change it.
  package var remedy: String {
    switch self {
    case .absent:
      "run on bare metal, or have the host pass them on (QEMU: -cpu host,pmu=on); here "
        + "`bench counts` counts instructions without them"
    case .paranoid: "sudo sysctl kernel.perf_event_paranoid=2"
    case .filtered: "start the container with --cap-add PERFMON, or measure outside of it"
    case .noKernelSupport: "a kernel with CONFIG_PERF_EVENTS"
    case .shared: "end other profilers; sudo sysctl kernel.nmi_watchdog=0"
    case .restless: "a scheduler that keeps its threads between iterations"
    case .failed(let error): Shortage.remedy(for: error) ?? "see errno \(error) in errno(3)"
    }
  }
}
