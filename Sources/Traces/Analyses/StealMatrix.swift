// SPDX-License-Identifier: Apache-2.0

/// Who took jobs from whom, how often in vain, and how much work moved.
package struct StealMatrix: Sendable, Equatable {
  /// What one worker took from another; pairs without any attempt are left out.
  package struct Entry: Sendable, Equatable {
    /// Index of the worker that took; -1 for a thread that is no worker.
    package let thief: Int32
    /// Index of the worker that it took from; -1 where that is unknown.
    package let victim: Int32
    package fileprivate(set) var steals = 0
    package fileprivate(set) var failures = 0
    /// Run time of stolen operations, ns; what they ran inside themselves counts for those.
    package fileprivate(set) var stolenWork: Int64 = 0
  }

  /// By thief, then by victim.
  package let entries: [Entry]

  /// Jobs that were stolen.
  package var steals: Int { entries.reduce(0) { $0 + $1.steals } }
  /// Attempts that found nothing; a scheduler may tell of only some of them.
  package var failures: Int { entries.reduce(0) { $0 + $1.failures } }
  /// The part of attempts that found nothing; nil without any.
  package var failRatio: Double? {
    let attempts = steals + failures
    return attempts > 0 ? Double(failures) / Double(attempts) : nil
  }

  /// Counts what the scheduler tells of steals; where it tells of none, the operations that started
  /// from a steal.
  init(_ trace: Trace, timeline: WorkerTimeline) {
    var table = PairTable()
    let areTold = trace.schedulerEvents.contains { $0.kind == .steal }
    for event in trace.schedulerEvents where event.kind == .steal || event.kind == .stealFails {
      let place = table.place(Self.worker(of: event.thread, trace), event.other)
      if event.kind == .steal {
        table.entries[place].steals += 1
      } else {
        table.entries[place].failures += 1
      }
    }
    for (index, operation) in trace.operations.enumerated() where operation.source == .steal {
      guard operation.startedTime != .min else { continue }
      let place = table.place(Self.worker(of: operation.thread, trace), operation.victim)
      table.entries[place].stolenWork += timeline.selfRun[index]
      if !areTold { table.entries[place].steals += 1 }
    }
    entries = table.entries.sorted { ($0.thief, $0.victim) < ($1.thief, $1.victim) }
  }

  private static func worker(of thread: Int32, _ trace: Trace) -> Int32 {
    thread >= 0 && Int(thread) < trace.threads.count ? trace.threads[Int(thread)].worker : -1
  }
}

/// Entries by pair; there are as many as pairs of workers that met, however many steals.
private struct PairTable {
  var entries: [StealMatrix.Entry] = []
  private var places: [UInt64: Int] = [:]

  mutating func place(_ thief: Int32, _ victim: Int32) -> Int {
    let key = UInt64(UInt32(bitPattern: thief)) << 32 | UInt64(UInt32(bitPattern: victim))
    if let place = places[key] { return place }
    places[key] = entries.count
    entries.append(StealMatrix.Entry(thief: thief, victim: victim))
    return entries.count - 1
  }
}
