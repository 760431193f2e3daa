// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// What a back end tells of its threads, for recordings.
///
/// Any thread; each call is about the calling one. While nothing is recorded a call is one
/// comparison. A back end that calls none of them is recorded all the same: operations become
/// ready, start and finish in the operation layer. Then nobody can say what its threads did
/// between, and recordings show that as unknown.
public enum SchedulerEvents {
  /// The thread goes to sleep.
  public static func parks() { note(.park) }
  /// It is awake again.
  public static func unparks() { note(.unpark) }
  /// It has taken a job from the worker `victim`, which it runs next if it says nothing else.
  public static func steals(from victim: Int) {
    if shim_is_recording() != 0 { EventRings.noteSteal(from: victim) }
  }

  /// It has tried in vain to take a job from the worker `victim`.
  public static func failsToSteal(from victim: Int) {
    if shim_is_recording() != 0 {
      EventRings.note(.stealFails, argument: UInt64(truncatingIfNeeded: victim))
    }
  }

  /// It wakes `count` sleeping threads, and does not know which.
  ///
  /// Recordings take those that sleep and run next for the ones that were woken.
  public static func wakes(_ count: Int) {
    guard shim_is_recording() != 0 else { return }
    for _ in 0..<count { EventRings.note(.wake) }
  }

  /// It wakes the thread that is the worker `worker`.
  public static func wakes(worker: Int) {
    if shim_is_recording() != 0 {
      EventRings.note(.wake, argument: UInt64(truncatingIfNeeded: worker &+ 1))
    }
  }

  /// It runs a job that is no operation from here on, until `endsJob()`.
  ///
  /// Whoever makes such jobs says so in their run function; what runs operations is recorded by the
  /// operation layer. Jobs nest.
  public static func beginsJob() { note(.jobBegins) }
  /// The innermost job that is no operation ends.
  public static func endsJob() { note(.jobEnds) }

  /// It has no job and looks for one.
  public static func beginsSearch() { note(.searchBegins) }
  /// It has found something; a search in vain ends with `parks()`.
  public static func endsSearch() { note(.searchEnds) }

  /// It begins to run jobs as worker number `worker`.
  public static func begins(worker: Int) {
    if shim_is_recording() != 0 {
      EventRings.note(.threadStarts, argument: UInt64(truncatingIfNeeded: worker))
    }
  }

  /// It does so no more.
  public static func ends() { note(.threadStops) }

  @inline(__always) private static func note(_ kind: EventKind) {
    if shim_is_recording() != 0 { EventRings.note(kind) }
  }
}
