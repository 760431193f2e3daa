// SPDX-License-Identifier: Apache-2.0

/// The columns of an environment file, in order: what the machine and the build were like in a run.
///
/// Names end in their unit. A value that could not be found is missing, which is not the same as 0.
package enum EnvironmentColumn: String, CaseIterable, Sendable {
  case runID = "run_id"
  case harnessVersion = "harness_version"
  case swiftVersion = "swift_version"
  case optLevel = "opt_level"
  case lto
  case sanitizer
  case libdispatchVersion = "libdispatch_version"
  case allocator
  case os
  case kernel
  case kernelCmdlineHash = "kernel_cmdline_hash"
  case cpuModel = "cpu_model"
  case sockets
  case cores
  case threads
  case online
  case affinity
  case l1dBytes = "l1d_bytes"
  case l2Bytes = "l2_bytes"
  case l3Bytes = "l3_bytes"
  case numaNodes = "numa_nodes"
  case virt
  case memBytes = "mem_bytes"
  case clocksource
  case clockCostNs = "clock_cost_ns"
  case clockStepNs = "clock_step_ns"
  case tscInvariant = "tsc_invariant"
  case governor
  case turbo
  case smt
  case thp
  case aslr
  case timerSlackNs = "timer_slack_ns"
  case haltPollNs = "halt_poll_ns"
  case cgroupVersion = "cgroup_version"
  case cpuQuota = "cpu_quota"
  case nrThrottledDelta = "nr_throttled_delta"
  case psiCPUSomeDeltaUs = "psi_cpu_some_delta_us"
  case stealDeltaTicks = "steal_delta_ticks"
  case load1Before = "load1_before"
  case load1After = "load1_after"
  case otherRunnable = "other_runnable"
  case swapInDelta = "swap_in_delta"
  case pmu
  case perfParanoid = "perf_paranoid"
  case envBytes = "env_bytes"
  case wakeupCostNs = "wakeup_cost_ns"
  case emptyBenchNs = "empty_bench_ns"
  case jemallocEpochNs = "jemalloc_epoch_ns"
  case gitDescribe = "git_describe"
  case ciProvider = "ci_provider"
  case twoThreadSpeedup = "two_thread_speedup"
  case suiteFile = "suite_file"

  /// What has to be the same for two machines to bear the same name, in the order of the hash.
  ///
  /// No kernel version, since comparing before an update with after it is legitimate; no memory
  /// size, since what the kernel reports of it changes with every update.
  package static let fingerprint: [EnvironmentColumn] = [
    .cpuModel, .sockets, .cores, .threads, .l1dBytes, .l2Bytes, .l3Bytes, .numaNodes, .virt,
  ]

  /// What has to be the same for figures of two environments to be compared: the machine, and how
  /// much of it the run was given.
  package static let comparability: [EnvironmentColumn] =
    fingerprint + [.online, .affinity, .cpuQuota, .governor, .turbo, .smt, .clocksource]
}
