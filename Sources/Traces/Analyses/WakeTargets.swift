// SPDX-License-Identifier: Apache-2.0

/// Finds whom each wake-up reached.
///
/// A scheduler with one pool of sleepers wakes one of them without knowing which. Such a wake-up
/// belongs to a thread that slept when it was given and runs again after it without having been
/// woken by name; of several wake-ups the earliest.
enum WakeTargets {
  /// By scheduler event: the thread that it woke, as an index into `Trace.threads`; -1 where it is
  /// no wake-up or reached nobody.
  ///
  /// O(events · threads that sleep).
  static func find(_ trace: Trace) -> [Int32] {
    var targets = [Int32](repeating: -1, count: trace.schedulerEvents.count)
    var sleepers = [Sleeper](repeating: Sleeper(), count: trace.threads.count)
    /// Wake-ups without a name that nobody has followed yet.
    var pending: [(time: Int64, event: Int)] = []
    for (index, event) in trace.schedulerEvents.enumerated() {
      let thread = Int(event.kind == .wake ? event.other : event.thread)
      guard sleepers.indices.contains(thread) else {
        if event.kind == .wake { pending.append((event.time, index)) }
        continue
      }
      switch event.kind {
      case .wake:
        targets[index] = event.other
        sleepers[thread].isWokenByName = true
      case .park:
        sleepers[thread].since = event.time
      case .unpark:
        if !sleepers[thread].isWokenByName,
          let place = pending.firstIndex(where: { $0.time >= sleepers[thread].since })
        {
          targets[pending.remove(at: place).event] = event.thread
        }
        sleepers[thread] = Sleeper(since: .max)
        // What is older than every sleep reached somebody who was awake.
        let oldest = sleepers.reduce(Int64.max) { min($0, $1.since) }
        if let first = pending.first, first.time < oldest {
          pending.removeAll { $0.time < oldest }
        }
      default: break
      }
    }
    return targets
  }

  /// A thread, as far as it sleeps.
  private struct Sleeper {
    /// Since when it has slept, before all times until it is first seen; `.max` while it is awake.
    var since = Int64.min
    var isWokenByName = false
  }
}

/// The events of each thread, with the wake-ups that reached it among them.
struct ThreadEvents {
  private let events: [SchedulerEvent]
  private let starts: [Int]

  init(_ trace: Trace, wakeTargets: [Int32]) {
    let count = trace.threads.count
    let all = trace.schedulerEvents
    let grouped = TimeOrder.grouped(all.indices.map { UInt32($0) }, count: count) { index in
      let event = all[Int(index)]
      // A wake-up is one of the thread that it reached; who gave it does not matter here.
      let thread = event.kind == .wake ? wakeTargets[Int(index)] : event.thread
      return Int(thread) < count ? thread : -1
    }
    starts = grouped.starts
    events = grouped.indices.map { all[Int($0)] }
  }

  func of(_ thread: Int) -> ArraySlice<SchedulerEvent> {
    events[starts[thread]..<starts[thread + 1]]
  }
}
