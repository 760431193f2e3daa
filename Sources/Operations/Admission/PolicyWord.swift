// SPDX-License-Identifier: Apache-2.0

/// The policy of a queue in one word: emptiness, limit and suspension are decided in the exchange
/// that changes `running`.
///
///     63   38 37       18 17     2      1              0
///     [ ready | running   | limit | suspended | openXorReleasing ]
///
/// The queue is *open* while it is unlimited and not suspended: then what is with the scheduler
/// starts. Somebody may be *releasing* the list: he holds jobs that were in it. Open and nobody
/// releasing is *fast*: what becomes ready goes to the scheduler as it is. The lowest
/// bit is set when the queue is open or somebody releasing, but not both.
enum PolicyWord {
  static let openXorReleasing: UInt64 = 1
  static let suspended: UInt64 = 2
  static let limitShift: UInt64 = 2
  static let runningShift: UInt64 = 18
  static let readyShift: UInt64 = 38
  /// The limit's code; 0 without a limit.
  static let limitField: UInt64 = 0xFFFF << limitShift
  static let oneRunning: UInt64 = 1 << runningShift
  static let oneReady: UInt64 = 1 << readyShift
  /// The word of a new queue.
  static let new = openXorReleasing

  static func ready(_ word: UInt64) -> UInt64 { word >> readyShift }
  static func running(_ word: UInt64) -> UInt64 { (word >> runningShift) & largestRunning }
  /// Most operations that may execute at a time, detached ones included.
  static let largestRunning: UInt64 = 0xF_FFFF
  @inline(__always) static func isSuspended(_ word: UInt64) -> Bool { word & suspended != 0 }
  /// Unlimited and not suspended.
  @inline(__always) static func isOpen(_ word: UInt64) -> Bool {
    word & (limitField | suspended) == 0
  }
  /// Open, and nobody holds jobs of the list.
  @inline(__always) static func isFast(_ word: UInt64) -> Bool {
    word & (limitField | suspended | openXorReleasing) == openXorReleasing
  }
  /// Somebody holds jobs of the list and will look at the word again when he has handed them over.
  static func isReleasing(_ word: UInt64) -> Bool { isOpen(word) == (word & openXorReleasing == 0) }
  /// The word with the bit that says so.
  static func withReleaser(_ word: UInt64, isReleasing: Bool) -> UInt64 {
    isOpen(word) == isReleasing ? word & ~openXorReleasing : word | openXorReleasing
  }
  /// After `change`, which opens or closes the queue, the same one is releasing as before.
  static func keepingReleaser(_ word: inout UInt64, _ change: (inout UInt64) -> Void) {
    let isReleasing = isReleasing(word)
    change(&word)
    word = withReleaser(word, isReleasing: isReleasing)
  }
  /// One more may start; without a limit as long as the field can count it.
  static func hasRoom(_ word: UInt64) -> Bool { running(word) < min(limit(word), largestLimit) }
  /// The slot that is held is within the limit.
  static func isWithinLimit(_ word: UInt64) -> Bool { running(word) <= limit(word) }

  // MARK: Limit

  /// Up to here a limit is kept exactly, above in steps.
  static let largestExactLimit: UInt64 = 1 << 15
  /// Above `largestExactLimit` a limit is rounded down to a multiple of this.
  static let limitStep: UInt64 = 32
  /// Largest limit that is kept; a multiple of `limitStep`, so far below `largestRunning` that
  /// there is room for what workers count while they leave an operation.
  static let largestLimit: UInt64 = largestRunning + 1 - 1 << 16

  static func isUnlimited(_ word: UInt64) -> Bool { word & limitField == 0 }

  /// The limit; without one more than can ever run.
  static func limit(_ word: UInt64) -> UInt64 {
    let code = (word & limitField) >> limitShift
    guard code > 0 else { return .max }
    guard code > largestExactLimit + 1 else { return code - 1 }
    return largestExactLimit + (code - 1 - largestExactLimit) * limitStep
  }

  /// `word` with another limit, nil for none.
  static func withLimit(_ word: UInt64, _ limit: Int?) -> UInt64 {
    var code: UInt64 = 0
    if let limit {
      let kept = min(UInt64(limit), largestLimit)
      let steps = (max(kept, largestExactLimit) - largestExactLimit) / limitStep
      code = 1 + min(kept, largestExactLimit) + steps
    }
    return (word & ~limitField) | code << limitShift
  }

  // MARK: Starting

  /// Lets start what the policy allows now: at most `burst` drains under a limit, everything
  /// without one.
  ///
  /// `isReleasing` says whether somebody else is, as of before the exchange. Where nobody is,
  /// whoever opens the queue, or puts something into the list of a fast one, claims the list and is
  /// its releaser until it has reached the scheduler; others add to it meanwhile.
  static func startMore(_ word: inout UInt64, isReleasing: Bool, burst: UInt64) -> Starts {
    if isOpen(word) {
      let claimed = isReleasing ? 0 : ready(word)
      word = withReleaser(word - claimed * oneReady, isReleasing: isReleasing || claimed > 0)
      return Starts(released: Int(claimed))
    }
    word = withReleaser(word, isReleasing: isReleasing)
    guard !isSuspended(word), hasRoom(word) else { return Starts() }
    let more = min(limit(word) - running(word), ready(word), burst)
    word += more * oneRunning
    return Starts(drains: Int(more))
  }
}

/// What an exchange of the policy word lets start; its author carries it out.
struct Starts {
  /// Drains whose slots are counted.
  var drains = 0
  /// Jobs that are claimed and go from the ready list to the scheduler as they are.
  var released = 0
}
