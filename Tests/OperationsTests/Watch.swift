// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization

/// Lines in the order noted.
final class Lines: Sendable {
  private let entries = Locked<[String]>([])
  func note(_ line: String) { entries.withLock { $0.append(line) } }
  var all: [String] { entries.withLock { $0 } }
}

/// What became of the flags of one operation, and the tokens that keep it observed.
final class Watch: Sendable {
  let lines = Lines()
  private let tokens = Locked<[Observation]>([])

  init(_ operation: Operation, _ name: String = "", into shared: Lines? = nil) {
    let lines = shared ?? lines
    let flags: [(String, KeyPath<Operation, Bool>)] = [
      ("cancelled", \.isCancelled), ("executing", \.isExecuting), ("finished", \.isFinished),
      ("ready", \.isReady),
    ]
    for (flag, keyPath) in flags {
      let token = operation.observe(keyPath) { _, change in
        lines.note("\(name)\(flag) \(change.oldValue)→\(change.newValue)")
      }
      tokens.withLock { $0.append(token) }
    }
  }

  func end() { tokens.withLock { $0 = [] } }
}

/// An operation in the style of Foundation that keeps its own state and never calls
/// `super.start()`.
final class OwnState: Operation, @unchecked Sendable {
  private let flags = Locked<(executing: Bool, finished: Bool)>((false, false))
  let starts = Atomic<Int>(0)
  /// Whether keys are announced with "is".
  private let isVerbose: Bool
  private let isSynchronous: Bool

  init(isVerbose: Bool = true, isSynchronous: Bool = true) {
    self.isVerbose = isVerbose
    self.isSynchronous = isSynchronous
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { flags.withLock { $0.executing } }
  override var isFinished: Bool { flags.withLock { $0.finished } }

  override func start() {
    starts.add(1, ordering: .relaxed)
    if isCancelled { return end() }
    change(isVerbose ? ["isExecuting"] : ["executing"]) { $0.executing = true }
    if isSynchronous { end() }
  }

  func end() {
    change(isVerbose ? ["isExecuting", "isFinished"] : ["executing", "finished"]) {
      $0.executing = false
      $0.finished = true
    }
  }

  private func change(
    _ keys: [String], _ body: (inout (executing: Bool, finished: Bool)) -> Void
  ) {
    for key in keys { willChangeValue(forKey: key) }
    flags.withLock { body(&$0) }
    for key in keys.reversed() { didChangeValue(forKey: key) }
  }
}
