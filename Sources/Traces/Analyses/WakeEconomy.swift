// SPDX-License-Identifier: Apache-2.0

/// What the run spent on waking threads.
package struct WakeEconomy: Sendable, Equatable {
  /// Wake-ups that threads gave.
  package let wakes: Int
  /// Times a thread went to sleep.
  package let parks: Int
  /// Times a sleeping thread ran again.
  package let unparks: Int
  /// Of those, how often it ran nothing before it slept again.
  package let spurious: Int
  /// Operations that started.
  package let operations: Int
  /// The longest series of wake-ups in which each woken thread woke the next one before it ran
  /// anything.
  package let longestChain: Int
  /// From the wake-up until the thread ran, over all of which both ends are known.
  package let latency: PhaseSummary

  /// Wake-ups per operation; nil when none started.
  package var wakesPerOperation: Double? {
    operations > 0 ? Double(wakes) / Double(operations) : nil
  }

  /// Counts them.
  ///
  /// O(operations + events).
  init(_ trace: Trace, timeline: WorkerTimeline) {
    var wakes = 0
    var parks = 0
    var unparks = 0
    var spurious = 0
    var longest = 0
    var threads = trace.threads.indices.map { ThreadWakes(starts: timeline.operations(of: $0)) }
    for (index, event) in trace.schedulerEvents.enumerated()
    where threads.indices.contains(Int(event.thread)) {
      let thread = Int(event.thread)
      switch event.kind {
      case .park:
        parks += 1
        threads[thread].passStarts(until: event.time, trace)
        if threads[thread].hasRunNothing { spurious += 1 }
        threads[thread].hasRunNothing = false
      case .unpark:
        unparks += 1
        threads[thread].passStarts(until: event.time, trace)
        threads[thread].hasRunNothing = true
      case .jobBegins:
        threads[thread].hasRunNothing = false
      case .wake:
        wakes += 1
        threads[thread].passStarts(until: event.time, trace)
        let chain = (threads[thread].hasRunNothing ? threads[thread].chain : 0) + 1
        longest = max(longest, chain)
        let target = Int(timeline.wakeTargets[index])
        if target >= 0 { threads[target].chain = chain }
      default: break
      }
    }
    self.wakes = wakes
    self.parks = parks
    self.unparks = unparks
    self.spurious = spurious
    longestChain = longest
    operations = timeline.operations.count
    latency = PhaseSummary(Self.latencies(timeline))
  }

  private static func latencies(_ timeline: WorkerTimeline) -> [Int64] {
    var result: [Int64] = []
    for thread in 0..<timeline.starts.count - 1 {
      let segments = timeline.segments(of: thread)
      for place in segments.indices.dropLast() where segments[place].state == .waking {
        result.append(segments[place + 1].begin - segments[place].begin)
      }
    }
    return result
  }
}

/// What one thread has done since it last ran again.
private struct ThreadWakes {
  /// Its operations that start from here on.
  var starts: ArraySlice<UInt32>
  /// It has run again and started nothing since.
  var hasRunNothing = false
  /// How many wake-ups led to the one that woke it, that one included.
  var chain = 0

  mutating func passStarts(until time: Int64, _ trace: Trace) {
    while let next = starts.first, trace.operations[Int(next)].startedTime <= time {
      hasRunNothing = false
      starts.removeFirst()
    }
  }
}
