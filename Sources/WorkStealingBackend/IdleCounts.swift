// SPDX-License-Identifier: Apache-2.0

/// The word that decides who sleeps and who is woken, as a value.
///
///     bits  0 … 15   sleepers    workers that wait for a token
///     bits 16 … 31   searching   workers that look for jobs and will look again before they sleep
///     bit  32        stopping    the pool is to end
///
/// Every change of the word in memory is one read-modify-write from one of these values to the next. The protocol is
/// explained on the page Parking.
struct IdleCounts: Equatable, Sendable {
  var word: UInt64

  private static let sleeper: UInt64 = 1
  private static let searcher: UInt64 = 1 << 16
  private static let stop: UInt64 = 1 << 32
  private static let mask: UInt64 = 0xFFFF

  /// The most workers, compensation included, that fit the fields.
  static let capacity = Int(mask)

  /// What one searcher adds to the word.
  static var oneSearcher: UInt64 { searcher }

  var sleepers: Int { Int(word & Self.mask) }
  var searching: Int { Int((word >> 16) & Self.mask) }
  var isStopping: Bool { word & Self.stop != 0 }

  /// True when a publication must wake somebody: nobody searches who would find it, and somebody sleeps.
  var needsWake: Bool { sleepers > 0 && searching == 0 }

  /// A worker without jobs begins to search, or sleeps at once when enough others search.
  ///
  /// While the pool stops nobody goes to sleep, because nobody would be woken.
  func entering(limit: Int) -> IdleCounts {
    searching < limit || isStopping ? startingSearch : IdleCounts(word: word + Self.sleeper)
  }

  /// A worker begins to search.
  var startingSearch: IdleCounts { IdleCounts(word: word + Self.searcher) }

  /// A searcher stops searching.
  var endingSearch: IdleCounts { IdleCounts(word: word - Self.searcher) }

  /// A searcher that found nothing sleeps, or leaves when the pool stops.
  var givingUp: IdleCounts {
    isStopping ? endingSearch : IdleCounts(word: word - Self.searcher + Self.sleeper)
  }

  /// One sleeper becomes a searcher; there must be one.
  var wakingOne: IdleCounts { IdleCounts(word: word - Self.sleeper + Self.searcher) }

  /// Every sleeper becomes a searcher, and from now on nobody sleeps.
  var stopping: IdleCounts {
    IdleCounts(word: (word & ~Self.mask) + UInt64(sleepers) * Self.searcher | Self.stop)
  }
}
