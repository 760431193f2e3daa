// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// What an operation asked of its thread and what it got (contract 93–95, 97).
public struct ServiceReport: Sendable, Equatable {
  /// The higher of the operation's and the queue's level when the body began.
  public let qualityOfService: QualityOfService
  /// The operation's thread priority when the body began.
  public let threadPriority: Double
  /// The niceness that follows from both, for the thread it ran on: −20 … 19.
  public let requestedNiceness: Int
  /// The niceness with which the body ran; of the part that began last where several threads run
  /// parts of it.
  public let appliedNiceness: Int

  /// False when the system did not allow it, or not to put it back afterwards.
  public var isApplied: Bool { requestedNiceness == appliedNiceness }
}

extension QualityOfService: Comparable {
  /// Ordered by urgency; `default` is below every level.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// Steps of niceness from a thread without a level.
  var niceness: Int {
    switch self {
    case .background: 10
    case .utility: 5
    case .default: 0
    case .userInitiated: -2
    case .userInteractive: -4
    }
  }
}

extension Operation {
  /// `qualityOfService` as it was set.
  final var storedQualityOfService: QualityOfService {
    // relaxed: a hint that orders nothing.
    let bits = state.load(ordering: .relaxed)
    return QualityOfService(index: (bits & StateBit.qualityMask) >> StateBit.qualityShift)
  }

  /// Implements the setter of `qualityOfService`.
  final func setQualityOfService(_ level: QualityOfService) {
    guard level != storedQualityOfService else { return }
    _ = coldTableMade()
    _ = changeState { StateChange.setQuality($0, level.index << StateBit.qualityShift) }
  }

  /// The level that counts: the higher of the operation's and its queue's (contract 93).
  ///
  /// The queue's is known while the operation waits in it or runs on this thread, and afterwards if
  /// either was set.
  public final var effectiveQualityOfService: QualityOfService {
    if let report = serviceReport { return report.qualityOfService }
    let record = ThreadRecord.current
    let queue = record.currentOperation == word ? OperationQueue.builtInCurrent : queueIfUnstarted()
    return max(storedQualityOfService, queue?.storedQualityOfService ?? .default)
  }

  /// Priority of the thread while `main()` runs: 0.0 (lowest) … 1.0, 0.5 by default; other values
  /// are clamped (contract 97).
  ///
  /// Best effort: mapped to niceness, 0.5 being what the thread has, and applied only where the
  /// system permits putting it back afterwards (RLIMIT_NICE). `serviceReport` tells. Not in force
  /// in the completion block.
  public final var threadPriority: Double {
    get { withColdTable { $0.threadPriority } ?? 0.5 }
    set {
      let value = newValue.isNaN ? 0.5 : min(max(newValue, 0), 1)
      guard value != 0.5 || hasColdTable else { return }
      withColdTableMade { $0.threadPriority = value }
      takeExtras()
    }
  }

  /// What became of `qualityOfService` and `threadPriority` once the body has begun; nil before,
  /// and for an operation that asked for neither in a queue that has no level.
  public final var serviceReport: ServiceReport? { withColdTable { $0.service } ?? nil }

  /// Calls `body`, a part of the operation's body, with the niceness that operation and queue ask
  /// for.
  ///
  /// Relative to the thread's own: the worker may be waiting inside an operation of another level.
  final func atRequestedService<Value>(_ queue: OperationQueue?, _ body: () -> Value) -> Value {
    let level = max(storedQualityOfService, queue?.storedQualityOfService ?? .default)
    let priority = threadPriority
    let record = ThreadRecord.current
    let isPlain = level == .default && priority == 0.5
    guard !isPlain || record.ownNiceness != nil else { return body() }
    let before = Niceness.ofThisThread
    let own = record.ownNiceness ?? before
    // Thread priority: 0 → 19 steps nicer, 1 → 19 steps less nice.
    let steps = level.niceness + Int(((0.5 - priority) * 38).rounded())
    let wanted = min(19, max(-20, own + steps))
    let changes = wanted != before && Niceness.canBePutBack && Niceness.setOfThisThread(wanted)
    if !isPlain {
      let report = ServiceReport(
        qualityOfService: level, threadPriority: priority, requestedNiceness: wanted,
        appliedNiceness: changes ? wanted : before)
      withColdTableMade { $0.service = report }
    }
    let outer = record.ownNiceness
    record.ownNiceness = own
    defer {
      record.ownNiceness = outer
      if changes { _ = Niceness.setOfThisThread(before) }
    }
    return body()
  }

  /// Calls `body`, a part of the operation's body that is not its `main()`, on a level of its own
  /// and as `atRequestedService` does; `queue` is nil after a manual start.
  final func runPart(_ queue: OperationQueue?, _ record: ThreadRecord, _ body: () -> Void) {
    let outer = record.enterPart(of: self, queue)
    // acquire: as `isExecuting`. Whoever has extras to has, or may have, a level.
    if state.load(ordering: .acquiring) & StateBit.hasExtras == 0 {
      body()
    } else {
      atRequestedService(queue, body)
    }
    record.leaveLevel(outer)
  }

  /// From here on the operation begins, runs and finishes on the long paths.
  final func takeExtras() {
    _ = coldTableMade()
    _ = changeState(StateChange.giveExtras)
  }
}

extension ThreadRecord {
  /// Calls `body` with the thread's own niceness, from inside a body that has another one.
  func atOwnNiceness(_ body: () -> Void) {
    guard let own = ownNiceness else { return body() }
    let before = Niceness.ofThisThread
    guard before != own, Niceness.setOfThisThread(own) else { return body() }
    ownNiceness = nil
    body()
    ownNiceness = own
    _ = Niceness.setOfThisThread(before)
  }
}

extension OperationQueue {
  /// `qualityOfService` as it was set.
  final var storedQualityOfService: QualityOfService { attributes.withLock { $0.qualityOfService } }

  /// Implements the setter of `qualityOfService`.
  final func setQualityOfService(_ level: QualityOfService) {
    guard !role.isFixed else { return }
    if level != .default { _ = extrasMade() }
    attributes.withLock { $0.qualityOfService = level }
    guard level != .default else { return }
    // Later ones find the extras; see Observation.md.
    for member in registry.membersAndClosures(waiting: true) { member.operation?.takeExtras() }
  }
}
