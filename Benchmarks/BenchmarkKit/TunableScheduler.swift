// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// A scheduler with knobs that a program adds to the suite.
///
/// `bench list` shows the knobs, and `--where knob=value,value` measures the scheduler once with
/// each value.
public struct TunableScheduler: Sendable {
  /// Makes a scheduler with the given number of workers; the settings have a legal value for every
  /// knob.
  public typealias Make = @Sendable (_ workers: Int, _ settings: KnobSettings) -> any Scheduler

  /// Lower-case letters, digits and hyphens; no other scheduler has it.
  public var name: String
  /// One line for `bench list`.
  public var summary: String
  /// What can be set on it; none may have the name of a workload's axis.
  public var knobs: [SchedulerKnob]
  /// Makes a scheduler.
  public var make: Make

  /// A scheduler; see the properties.
  public init(
    name: String, summary: String = "plugged in by this program", knobs: [SchedulerKnob],
    make: @escaping Make
  ) {
    self.name = name
    self.summary = summary
    self.knobs = knobs
    self.make = make
  }
}
