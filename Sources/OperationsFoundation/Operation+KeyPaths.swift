// SPDX-License-Identifier: Apache-2.0

extension Operation {
  /// As `willChangeValue(forKey:)`, for the property at `keyPath`.
  public func willChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    willChangeValue(forKey: Self.key(of: keyPath))
  }

  /// As `didChangeValue(forKey:)`, for the property at `keyPath`.
  public func didChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    didChangeValue(forKey: Self.key(of: keyPath))
  }

  private static func key(of keyPath: AnyKeyPath) -> String {
    switch keyPath {
    case \Operation.isFinished: "isFinished"
    case \Operation.isExecuting: "isExecuting"
    case \Operation.isReady: "isReady"
    case \Operation.isCancelled: "isCancelled"
    case \Operation.isAsynchronous: "isAsynchronous"
    default: ""
    }
  }
}
