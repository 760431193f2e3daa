// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// What the pool keeps per thread: deques, masks, counters.
///
/// "Owner" is the thread that runs this worker. The owner's fields are relaxed atomics, which cost
/// what plain fields cost and need no exclusivity checks; only the owner writes them.
final class Worker: Sendable {
  private let gap1 = LineGap()
  /// Position in the pool; compensation threads follow the regular workers.
  let index: Int
  /// Which pool; a thread may belong to one of several.
  let pool: ObjectIdentifier
  /// One deque per band.
  let deques = DequeBank()
  /// Bands in which the owner may hold jobs: set by a push, cleared when a pop finds nothing.
  let ownBands = Atomic<UInt8>(0)
  /// Jobs to run before the next look into the injector.
  let jobsUntilInjector = Atomic<Int>(0)
  /// True when the owner takes its oldest job of a band instead of its newest.
  let takesOldestFirst: Bool
  /// The regular workers to steal from, the first one first; empty for the random order.
  let victims: [Int]
  /// Picks from one that ages to the next; never, for all that one lives to see, when nothing ages.
  let ageingPeriod: Int
  /// Picks until the next one ages.
  let picksUntilAgeing: Atomic<Int>
  /// How many calls of help() are on the owner's stack.
  let helpDepth = Atomic<Int>(0)
  /// State of the generator that chooses victims.
  let random: Atomic<UInt32>
  // Counters of the owner; other threads read them when somebody asks.
  let parks = Atomic<Int>(0)
  let steals = Atomic<Int>(0)
  let failedSteals = Atomic<Int>(0)
  let helped = Atomic<Int>(0)
  private let gap2 = LineGap()
  /// What thieves see of `ownBands`; every store publishes the pushes before it.
  let publishedBands = Atomic<UInt8>(0)
  private let gap3 = LineGap()
  /// Where a retired compensation thread waits, and what it is to do then.
  let parker = Parker()
  let order = Atomic<SpareOrder>(.wait)

  init(
    index: Int, pool: ObjectIdentifier, configuration: WorkStealingConfiguration, victims: [Int]
  ) {
    self.index = index
    self.pool = pool
    self.victims = victims
    takesOldestFirst = configuration.localOrder == .fifo
    ageingPeriod = configuration.ageingInterval == 0 ? .max : configuration.ageingInterval
    picksUntilAgeing = Atomic(ageingPeriod - 1)
    random = Atomic(UInt32(truncatingIfNeeded: index &+ 1) &* 0x9E37_79B9 | 1)
  }

  /// Adds one to a counter of the owner.
  func count(_ counter: borrowing Atomic<Int>) {
    // relaxed, both: one writer; readers want a recent value, exact once the pool is idle.
    counter.store(counter.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// A pseudo-random number below `bound`; owner only.
  ///
  /// Xorshift, good enough to spread thieves.
  func randomIndex(below bound: Int) -> Int {
    // relaxed, both: the owner's alone.
    var state = random.load(ordering: .relaxed)
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    random.store(state, ordering: .relaxed)
    return Int((UInt64(state) &* UInt64(bound)) >> 32)
  }

  // MARK: The owner's deques

  /// Pushes every job of a chain, so that pops return the first one first, with one store of
  /// `bottom` per band where pops take the newest.
  ///
  /// Owner only; the caller publishes afterwards.
  func push(_ chain: consuming JobChain) {
    let bands = chain.bands
    guard bands & (bands &- 1) == 0 else { return pushSeveralBands(chain) }
    pushOneBand(bands.trailingZeroBitCount, chain)
  }

  @inline(never) private func pushSeveralBands(_ chain: consuming JobChain) {
    var byBand = InlineArray<5, JobChain> { _ in JobChain() }
    while let job = chain.popFirst() { byBand[Int(job.band.rawValue)].append(job) }
    for band in byBand.indices where !byBand[band].isEmpty {
      pushOneBand(band, byBand[band].take())
    }
  }

  @inline(__always) private func pushOneBand(_ band: Int, _ chain: consuming JobChain) {
    guard !takesOldestFirst else { return pushInOrder(band, chain) }
    putBack(chain, in: band)
  }

  /// Pushes jobs that were popped at the bottom, the one popped first as the first of the chain, to
  /// where they were.
  ///
  /// Owner only; the caller publishes afterwards.
  func putBack(_ chain: consuming JobChain, in band: Int) {
    var next = chain.first
    let count = chain.count
    deques.owned(band).push(count: count) {
      guard let job = next else {
        fatalError(
          "job chain of \(count) jobs ended early; expected a job per count. "
            + "A job of it was run or submitted twice.")
      }
      next = job.next
      return job.word
    }
    setOwnBands(ownBandsValue | 1 << UInt8(band))
  }

  private func pushInOrder(_ band: Int, _ chain: consuming JobChain) {
    while let job = chain.popFirst() { deques.owned(band).push(job.word) }
    setOwnBands(ownBandsValue | 1 << UInt8(band))
  }

  /// Takes the owner's newest job of the most urgent band, or its oldest by `localOrder`; owner
  /// only.
  ///
  /// With `alone` there are no thieves.
  @inline(__always) func pop(alone: Bool) -> Job? {
    guard !takesOldestFirst else { return popOldest() }
    while true {
      let bands = ownBandsValue
      guard bands != 0 else { return nil }
      let band = bands.trailingZeroBitCount
      if let word = deques.owned(band).pop(alone: alone) { return unsafe Job(unsafeWord: word) }
      setOwnBands(bands & (bands &- 1))
    }
  }

  /// Takes the owner's oldest job of the most urgent band, from the end where thieves steal; owner
  /// only.
  @inline(never) private func popOldest() -> Job? {
    while true {
      let bands = ownBandsValue
      guard bands != 0 else { return nil }
      switch deques.owned(bands.trailingZeroBitCount).steal() {
      case .stolen(let word): return unsafe Job(unsafeWord: word)
      case .empty: setOwnBands(bands & (bands &- 1))
      case .lostRace:
        count(failedSteals)
        SchedulerEvents.failsToSteal(from: index)
      }
    }
  }

  /// Takes the owner's oldest job of the least urgent band, from the end where thieves steal; owner
  /// only.
  func popForAgeing() -> Job? {
    let bands = ownBandsValue
    guard bands != 0 else { return nil }
    let band = 7 - bands.leadingZeroBitCount
    guard case .stolen(let word) = deques.owned(band).steal() else { return nil }
    return unsafe Job(unsafeWord: word)
  }

  // relaxed, both: the owner's alone.
  @inline(__always) var ownBandsValue: UInt8 { ownBands.load(ordering: .relaxed) }
  @inline(__always) private func setOwnBands(_ bands: UInt8) {
    ownBands.store(bands, ordering: .relaxed)
  }

  /// Makes the owner's pushes and its bands visible before anything the owner reads next.
  func publish() {
    // sequentially consistent, edge WorkSeen: in the total order between the pushes, which it
    // releases, and the load of the idle counts that follows.
    publishedBands.store(ownBandsValue, ordering: .sequentiallyConsistent)
  }

  /// Shows the bands to thieves that may start later.
  @inline(__always) func showBands() {
    // relaxed: the start of the first thief's thread publishes it.
    publishedBands.store(ownBandsValue, ordering: .relaxed)
  }

  // MARK: Other threads

  /// True when no thief would find a job here; any thread.
  var looksEmpty: Bool {
    // sequentially consistent, edge WorkSeen: pairs with publish(); makes the pushes before it
    // visible below.
    _ = publishedBands.load(ordering: .sequentiallyConsistent)
    for band in 0..<DequeBank.count {
      if let deque = deques.existing(band), !deque.isEmpty { return false }
    }
    return true
  }
}

/// What a retired compensation thread is to do.
enum SpareOrder: UInt8, AtomicRepresentable {
  /// Nothing yet.
  case wait
  /// A worker has blocked: run jobs again.
  case run
  /// The pool ends.
  case exit
}
