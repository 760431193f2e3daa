// SPDX-License-Identifier: Apache-2.0

/// What the machine did while a child ran that its figures cannot know.
package struct Disturbance: Hashable, Sendable {
  /// Ticks (1/100 s) that the hypervisor kept from this machine's CPUs; nil when the kernel does
  /// not say.
  package var stealTicks: Int64?
  /// Times the control group's CPU quota stopped it; nil when there is no quota.
  package var throttledPeriods: Int64?
  /// Processor time that was neither this process's nor its children's, in nanoseconds, to some
  /// 0.01 s per CPU; nil when the kernel does not say.
  package var foreignNanoseconds: Int64?

  /// A disturbance with these counts.
  package init(
    stealTicks: Int64? = nil, throttledPeriods: Int64? = nil, foreignNanoseconds: Int64? = nil
  ) {
    self.stealTicks = stealTicks
    self.throttledPeriods = throttledPeriods
    self.foreignNanoseconds = foreignNanoseconds
  }
}
