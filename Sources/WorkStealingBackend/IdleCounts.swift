// SPDX-License-Identifier: Apache-2.0

/// The word that decides who sleeps and who is woken, as a value.
///
///     bits  0 … 18   sleepers    workers that wait for a token
///     bit  19        short       every worker was blocked, no job waited and the system refused
///                                a spare: whoever publishes a job asks for one again
///     bits 20 … 39   searching   workers that look for jobs and will look again before they sleep
///     bits 40 … 59   present     workers that are not retired, whatever they do bit  60
///     stopping    the pool is to end once no job runs bit  61        closing     the only searcher
///     looks for the last time, and nobody has begun to search since bit  62        over        no
///     job runs and none will: whoever wakes leaves
///
/// A field holds several times as many workers as a pool may have, since an activation is counted
/// before the retirement that makes room for it.
///
/// Every change of the word in memory is one read-modify-write from one of these values to the
/// next. The protocol is explained on the page Parking.
struct IdleCounts: Equatable, Sendable {
  var word: UInt64

  private static let sleeper: UInt64 = 1
  private static let short: UInt64 = 1 << 19
  private static let searcher: UInt64 = 1 << 20
  private static let presentOne: UInt64 = 1 << 40
  private static let stop: UInt64 = 1 << 60
  private static let close: UInt64 = 1 << 61
  private static let end: UInt64 = 1 << 62
  private static let mask: UInt64 = 0xF_FFFF

  /// A pool whose `workers` threads have not looked for jobs yet.
  static func initial(workers: Int) -> IdleCounts {
    IdleCounts(word: UInt64(workers) * presentOne)
  }

  /// What one searcher adds to the word.
  static var oneSearcher: UInt64 { searcher }

  var sleepers: Int { Int(word & (Self.short - 1)) }
  var searching: Int { Int((word >> 20) & Self.mask) }
  var present: Int { Int((word >> 40) & Self.mask) }
  var isShort: Bool { word & Self.short != 0 }
  var isStopping: Bool { word & Self.stop != 0 }
  var isClosing: Bool { word & Self.close != 0 }
  var isOver: Bool { word & Self.end != 0 }

  /// True when the only searcher is all that is left of a stopping pool: no job runs, everybody
  /// else sleeps.
  var isLastOne: Bool { isStopping && searching == 1 && sleepers + 1 == present }

  /// True when a publication must do something for a worker to find it: nobody searches, and
  /// somebody sleeps or the pool is short of a thread.
  var needsWake: Bool { word & Self.mask != 0 && searching == 0 }

  /// A worker without jobs begins to search, or sleeps at once when enough others search.
  func entering(limit: Int) -> IdleCounts {
    searching < limit ? startingSearch : IdleCounts(word: word + Self.sleeper)
  }

  /// A worker begins to search; the last look of another one counts no more.
  var startingSearch: IdleCounts { IdleCounts(word: (word & ~Self.close) + Self.searcher) }

  /// A searcher stops searching.
  var endingSearch: IdleCounts { IdleCounts(word: word - Self.searcher) }

  /// A searcher that found nothing sleeps; the last one of a stopping pool looks for the last time
  /// instead.
  var givingUp: IdleCounts {
    isLastOne
      ? IdleCounts(word: word | Self.close)
      : IdleCounts(word: word - Self.searcher + Self.sleeper)
  }

  /// The last look found nothing: every sleeper is to leave, and so is the one that looked.
  var ending: IdleCounts {
    IdleCounts(word: UInt64(present) * Self.presentOne | Self.stop | Self.end)
  }

  /// One sleeper becomes a searcher; there must be one.
  var wakingOne: IdleCounts { IdleCounts(word: startingSearch.word - Self.sleeper) }

  /// No thread is left and the system has refused one: the next publication sees to it.
  var becomingShort: IdleCounts { IdleCounts(word: word | Self.short) }

  /// Somebody sees to it that there is a thread again.
  var endingShortage: IdleCounts { IdleCounts(word: word & ~Self.short) }

  /// The pool is to end; somebody must notice, so a sleeper becomes a searcher if all sleep.
  var stopping: IdleCounts {
    let asked = IdleCounts(word: word | Self.stop)
    return isAsleep ? asked.wakingOne : asked
  }

  /// True when every worker sleeps.
  var isAsleep: Bool { sleepers == present }

  /// A compensation thread is about to run.
  var arriving: IdleCounts { IdleCounts(word: word + Self.presentOne) }

  /// A compensation thread leaves.
  var departing: IdleCounts { IdleCounts(word: word - Self.presentOne) }

  /// A compensation thread could not be started.
  ///
  /// While it was counted nobody could be the last one of a stopping pool. So a sleeper becomes a
  /// searcher if all sleep.
  var failing: IdleCounts {
    let left = departing
    return isStopping && left.isAsleep ? left.wakingOne : left
  }

  /// A compensation thread that is a searcher retires, unless nobody else would end the pool.
  var retiring: IdleCounts { isLastOne ? self : endingSearch.departing }
}
