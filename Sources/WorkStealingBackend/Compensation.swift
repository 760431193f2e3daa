// SPDX-License-Identifier: Apache-2.0

/// How many workers are blocked and how many compensation threads run for them, in one word.
///
///     bits  0 … 31   blocked   workers between willBlock() and didUnblock()
///     bits 32 … 63   active    compensation threads that are not retired
struct Compensation: Equatable, Sendable {
  var word: UInt64

  private static let blockedOne: UInt64 = 1
  private static let activeOne: UInt64 = 1 << 32
  private static let mask: UInt64 = 0xFFFF_FFFF

  var blocked: Int { Int(word & Self.mask) }
  var active: Int { Int(word >> 32) }

  /// True when more compensation threads run than workers are blocked.
  var hasSurplus: Bool { active > blocked }

  /// A worker blocks; a thread for it is added unless a surplus one or the limit makes that
  /// needless.
  func blocking(limit: Int) -> Compensation {
    let next = Compensation(word: word + Self.blockedOne)
    return next.active < min(next.blocked, limit)
      ? Compensation(word: next.word + Self.activeOne) : next
  }

  /// A thread is added, up to the limit, if `workers` and every active compensation thread are
  /// blocked.
  func replacingLast(workers: Int, limit: Int = .max) -> Compensation {
    workers + active > blocked || active >= limit ? self : Compensation(word: word + Self.activeOne)
  }

  /// A blocked worker runs again.
  var unblocking: Compensation { Compensation(word: word - Self.blockedOne) }

  /// A compensation thread retires, or could not be started.
  var retiring: Compensation { Compensation(word: word - Self.activeOne) }

  /// A retirement is taken back.
  var returning: Compensation { Compensation(word: word + Self.activeOne) }
}
