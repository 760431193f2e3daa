// SPDX-License-Identifier: Apache-2.0

/// What an operation of a program is.
package enum Kind: String, Sendable, CaseIterable {
  /// The base class itself, which does nothing.
  case plain
  /// A block operation with one to three blocks.
  case block
  /// A subclass with a body.
  case subclass
  /// A subclass whose own condition must hold as well before it is ready.
  case conditional
  /// An asynchronous operation that executes until a `finish` step.
  case held
  /// As `held`, through overrides of `start()`, `isExecuting` and `isFinished`.
  case custom
  /// A subclass whose body blocks its thread until a `finish` step.
  case latched
  /// A closure added to a queue: no object.
  case closure
  /// A barrier block: no object.
  case barrier

  // Only in this package.

  /// A body added to a queue, which stores it unless it is too large: no object.
  case storedBody
  /// A result operation with a throwing closure.
  case result
  /// A result operation whose closure is `async`.
  case resultTask
  /// An asynchronous operation with an `async` closure.
  case task
  /// An asynchronous operation with a closure that calls `finish()`.
  case callback
  /// A subclass that overrides `cancel()` and may be skipped without a slot.
  case cancelling
  /// A group of other operations.
  case group
  /// A group that overrides `cancel()`.
  case cancellingGroup
  /// A time limit for another operation.
  case timeout
  /// An operation with a second attempt.
  case retry
  /// A run of a graph.
  case graph

  /// What Foundation has as well.
  package static let common: [Kind] = [
    .plain, .block, .subclass, .conditional, .held, .custom, .latched, .closure, .barrier,
  ]

  package var isObject: Bool { self != .closure && self != .storedBody && self != .barrier }
  /// Executes until a `finish` step.
  package var isHeld: Bool { self == .held || self == .custom || self == .latched }
  /// One of the library's own classes.
  package var isBuiltIn: Bool {
    switch self {
    case .subclass, .conditional, .held, .custom, .latched, .cancelling, .cancellingGroup: false
    default: true
    }
  }
  /// Needs no slot to be skipped (contract 49): its class does not override `start()`.
  package var inheritsStart: Bool { self != .custom }
  /// Has finished when a start by hand returns (contract 11).
  package var isSynchronous: Bool {
    switch self {
    case .plain, .block, .subclass, .conditional, .latched, .result, .cancelling: true
    default: false
    }
  }
  /// Has `finish()`.
  package var isAsync: Bool { self == .held || self == .task || self == .callback }
  /// Made of other operations.
  package var isComposite: Bool { isGroup || self == .timeout || self == .retry }
  package var isGroup: Bool { self == .group || self == .cancellingGroup }
  package var overridesCancel: Bool { self == .cancelling || self == .cancellingGroup }
}
