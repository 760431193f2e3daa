// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations
internal import OperationsDiagnosis
internal import Scheduling
internal import Synchronization

/// Why a recording ended by itself.
package struct RecordingBreak: Sendable, Equatable {
  /// How long the operation had been ready when the recording ended, or when it started.
  package let waitNanoseconds: Int64
  /// It had started after all.
  package let hasStarted: Bool
  /// Why operations were not running at that moment, as `OperationQueue.stallReport()` says.
  package let stallReport: String
}

/// A thread that reads the rings of a recording while it goes on, and ends it when an operation has
/// waited for too long.
///
/// The threads that record do nothing for it. It looks a few times in the shortest wait that it is
/// to find.
final class WaitWatcher: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let parker = Parker()
  private let found = Locked<RecordingBreak?>(nil)
  private let thread = Locked<SystemThread?>(nil)

  /// Looks per shortest wait.
  private static let looksPerWait: Int64 = 4
  /// Bounds of the time between two looks, ns.
  private static let between: ClosedRange<Int64> = 200_000...50_000_000

  /// Begins to watch a recording that has begun.
  func begin(
    _ number: UInt32, nanoseconds: Int64, nanosecondsPerTick: Double
  ) throws(SystemThreadError) {
    let threshold = UInt64(max(1, Double(nanoseconds) / nanosecondsPerTick))
    let pause = UInt64(
      min(max(nanoseconds / Self.looksPerWait, Self.between.lowerBound), Self.between.upperBound))
    let thread = try SystemThread.start(name: "wait-watcher") { [self] in
      var waits = OpenWaits(threshold: threshold)
      // acquire, edge WatchOver: pairs with `end()`.
      while !isOver.load(ordering: .acquiring) {
        if let wait = waits.look(at: number) {
          stop(number, wait, nanosecondsPerTick)
          return
        }
        _ = parker.park(until: MonotonicTime.nanoseconds() &+ pause)
      }
    }
    self.thread.withLock { $0 = thread }
  }

  /// Ends the recording, so that the rings keep what surrounds the wait.
  private func stop(_ number: UInt32, _ wait: OpenWaits.Found, _ nanosecondsPerTick: Double) {
    guard EventRings.end(number) else { return }
    let report = String(describing: OperationQueue.stallReport())
    let nanoseconds = Int64((Double(wait.ticks) * nanosecondsPerTick).rounded())
    found.withLock {
      $0 = RecordingBreak(
        waitNanoseconds: nanoseconds, hasStarted: wait.hasStarted, stallReport: report)
    }
  }

  /// What ended the recording, once its thread has said so.
  var result: RecordingBreak? { found.withLock { $0 } }

  /// Watches no more; returns when the thread has ended.
  func end() {
    isOver.store(true, ordering: .releasing)  // release, edge WatchOver
    parker.unpark()
    thread.withLock { $0.take() }?.join()
  }
}

/// Operations that are ready and have not started, as far as events have told.
struct OpenWaits {
  struct Found: Equatable {
    var ticks: UInt64
    var hasStarted: Bool
  }

  private let threshold: UInt64
  /// By ring: the number of the first event that was not looked at.
  private var positions: [UInt: UInt64] = [:]
  /// By address: when it became ready.
  private var waiting: [UInt: UInt64] = [:]
  /// By address: starts whose ready another thread has written, and nobody has read yet; those of
  /// this look and of the last one.
  private var early: [UInt: UInt64] = [:]
  private var earlier: [UInt: UInt64] = [:]

  init(threshold: UInt64) { self.threshold = threshold }

  /// Reads what is new, and returns a wait that is too long.
  mutating func look(at number: UInt32) -> Found? {
    // Before the events: what became ready by then is there.
    let now = EventRings.sinceBegin
    for ring in EventRings.contents(of: number, after: positions) {
      positions[ring.identity] = ring.end
      for event in ring.events {
        if let found = take(event) { return found }
      }
    }
    return endLook(at: now)
  }

  /// Takes one event; returns a wait that it ends too late.
  mutating func take(_ event: RecordedEvent) -> Found? {
    switch event.kind {
    case .ready, .closureAdded:
      let start = early[event.object] ?? earlier[event.object]
      if let start, start >= event.ticks {
        early[event.object] = nil
        earlier[event.object] = nil
        return long(start - event.ticks)
      }
      waiting[event.object] = event.ticks
    case .start, .finish:
      if let ready = waiting[event.object], ready <= event.ticks {
        waiting[event.object] = nil
        if event.kind == .start { return long(event.ticks - ready) }
      } else if event.kind == .start {
        early[event.object] = event.ticks
      }
    default: break
    }
    return nil
  }

  /// Everything that was new at the moment `now` has been taken.
  mutating func endLook(at now: UInt64) -> Found? {
    // A ready comes before its start: the next look finds it at the latest.
    earlier = early
    early = [:]
    guard let oldest = waiting.values.min(), now > oldest, now - oldest > threshold else {
      return nil
    }
    return Found(ticks: now - oldest, hasStarted: false)
  }

  private func long(_ wait: UInt64) -> Found? {
    wait > threshold ? Found(ticks: wait, hasStarted: true) : nil
  }
}
