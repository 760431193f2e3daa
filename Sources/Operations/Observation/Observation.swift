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
