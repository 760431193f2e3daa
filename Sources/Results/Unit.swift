// SPDX-License-Identifier: Apache-2.0

/// A unit of the registry, as rows write it.
///
/// A plain value; any thread.
package enum Unit: String, CaseIterable, Sendable {
  case nanoseconds = "ns"
  case nanosecondsPerOperation = "ns/op"
  case bytes = "B"
  case bytesPerOperation = "B/op"
  case perSecond = "1/s"
  case perOperation = "1/op"
  case one = "1"

  /// The unit without a prefix in words, and how many of these make one; nil for a plain number.
  ///
  /// So formats of other tools end names. Per operation is not said of times and bytes.
  package var base: (words: String, count: Double)? {
    switch self {
    case .nanoseconds, .nanosecondsPerOperation: ("seconds", 1e9)
    case .bytes, .bytesPerOperation: ("bytes", 1)
    case .perSecond: ("per second", 1)
    case .perOperation: ("per operation", 1)
    case .one: nil
    }
  }
}
