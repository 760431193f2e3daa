// SPDX-License-Identifier: Apache-2.0

/// One change of an observed property.
public struct ObservedChange<Value: Sendable>: Sendable {
  /// The value before.
  public let oldValue: Value
  /// The value after.
  public let newValue: Value
}

extension ObservedChange {
  /// The change as it is told with `ObservingOptions.old` and `.new`.
  init?(_ change: KeyValueChange<Value>) {
    guard let old = change.oldValue, let new = change.newValue else { return nil }
    self.init(oldValue: old, newValue: new)
  }
}

/// What an observer wants to be told, with Foundation's names and values.
public struct ObservingOptions: OptionSet, Sendable {
  /// As a number.
  public let rawValue: UInt

  /// The options with these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value after the change.
  public static let new = ObservingOptions(rawValue: 1)
  /// The value before the change.
  public static let old = ObservingOptions(rawValue: 2)
  /// A first call with the value that the property has when the observer comes.
  public static let initial = ObservingOptions(rawValue: 4)
  /// Two calls for each change: one that stands for the moment before it, then the one after it.
  ///
  /// Both come when the change has been made, one right after the other: what changes an operation
  /// or a queue does not wait for observers.
  public static let prior = ObservingOptions(rawValue: 8)
}

/// What an observer with options is told of a change; values that it has not asked for are nil.
public struct KeyValueChange<Value: Sendable>: Sendable {
  /// The value after the change, or the first one; with `ObservingOptions.new` only.
  public let newValue: Value?
  /// The value before the change; with `ObservingOptions.old` only, and not in the first call.
  public let oldValue: Value?
  /// It stands for the moment before the change; with `ObservingOptions.prior` only.
  public let isPrior: Bool
}

/// Keeps an observation alive: it ends when this object goes, or with `invalidate()` (contract
/// 124).
///
/// Does not keep the observed object. Any thread. After the end no call of the handler begins; one
/// that runs on another thread at that moment may still be running.
public final class Observation: Sendable {
  private let end: @Sendable () -> Void

  /// The observed object keeps the observer, and is told with `forget` that it has ended.
  init(_ observer: Observer, forget: @escaping @Sendable () -> Void) {
    end = { [weak observer] in if observer?.end() == true { forget() } }
  }

  deinit { invalidate() }

  /// Ends the observation; further calls do nothing.
  public func invalidate() { end() }
}
