// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// A first-in, first-out list of jobs, linked through the jobs' own link words.
///
/// A chain is a value held by one thread at a time. Taking a chain over means taking over every job
/// in it. It cannot be copied, so that nobody takes it over twice; several of them lie in an
/// `InlineArray`. Dropping a non-empty chain loses its jobs.
@frozen public struct JobChain: ~Copyable, Sendable {
  @usableFromInline var firstWord: UInt = 0
  @usableFromInline var lastWord: UInt = 0
  @usableFromInline var jobCount: Int = 0
  @usableFromInline var bandMask: UInt8 = 0

  /// An empty chain.
  @inlinable public init() {}

  /// A chain of one job.
  @inlinable @inline(__always) public init(_ job: Job) {
    job.next = nil
    firstWord = job.word
    lastWord = job.word
    jobCount = 1
    bandMask = job.band.mask
  }

  /// Number of jobs.
  @inlinable public var count: Int { jobCount }
  /// One bit per band that occurs in the chain, `PriorityBand.mask`; bits stay until the chain is
  /// empty.
  @inlinable public var bands: UInt8 { bandMask }
  /// True when the chain has no job.
  @inlinable public var isEmpty: Bool { firstWord == 0 }
  /// The job that leaves first.
  @inlinable public var first: Job? {
    // SAFETY: the word of a job that the chain owns.
    unsafe Job(unsafeWord: firstWord)
  }
  /// The job that leaves last.
  @inlinable public var last: Job? {
    // SAFETY: the word of a job that the chain owns.
    unsafe Job(unsafeWord: lastWord)
  }

  /// Adds a job at the end.
  ///
  /// O(1).
  @inlinable public mutating func append(_ job: Job) {
    job.next = nil
    if let last { last.next = job } else { firstWord = job.word }
    lastWord = job.word
    note(count: 1, bands: job.band.mask)
  }

  /// Adds a job at the beginning.
  ///
  /// O(1).
  @inlinable @inline(__always) public mutating func prepend(_ job: Job) {
    job.next = first
    if isEmpty { lastWord = job.word }
    firstWord = job.word
    note(count: 1, bands: job.band.mask)
  }

  /// Adds every job of `other` at the end.
  ///
  /// O(1).
  @inlinable @inline(__always) public mutating func append(_ other: consuming JobChain) {
    guard !other.isEmpty else { return }
    if let last { last.next = other.first } else { firstWord = other.firstWord }
    lastWord = other.lastWord
    note(count: other.count, bands: other.bands)
  }

  /// Removes the first job.
  ///
  /// O(1).
  @inlinable public mutating func popFirst() -> Job? {
    guard let job = first else { return nil }
    firstWord = job.next?.word ?? 0
    fetchFirst()
    job.next = nil
    forgetOne()
    return job
  }

  /// Brings the first job closer, while the one before it runs: it has often left the caches since
  /// it was appended.
  @usableFromInline func fetchFirst() { shim_prefetch(firstWord & ~7) }

  /// Removes the first `count` jobs, at least 1, in their order; all when there are not more.
  ///
  /// O(count); writes one link.
  @inlinable public mutating func popFirst(_ count: Int) -> JobChain {
    guard count < jobCount else { return take() }
    var share = JobChain()
    share.firstWord = firstWord
    share.bandMask = bandMask
    var end = Job(_word: firstWord)
    for _ in 1..<count { end = end.next ?? Self.brokenChain(jobCount) }
    firstWord = (end.next ?? Self.brokenChain(jobCount)).word
    jobCount -= count
    end.next = nil
    share.lastWord = end.word
    share.jobCount = count
    return share
  }

  @usableFromInline @inline(never) static func brokenChain(_ count: Int) -> Job {
    fatalError(
      "job chain of \(count) jobs ended early; expected a job per count. "
        + "A job of it was run or submitted twice.")
  }

  /// Removes the first job that `accepts`.
  ///
  /// O(jobs before it).
  package mutating func popFirst(where accepts: (Job) -> Bool) -> Job? {
    var previous: Job?
    var next = first
    while let job = next {
      next = job.next
      guard accepts(job) else {
        previous = job
        continue
      }
      guard let previous else { return popFirst() }
      previous.next = next
      if next == nil { lastWord = previous.word }
      job.next = nil
      forgetOne()
      return job
    }
    return nil
  }

  /// The same jobs in the same order, all in one band.
  ///
  /// O(1) when they are, else O(n).
  package consuming func inOneBand(_ band: PriorityBand) -> JobChain {
    guard bandMask != band.mask else { return self }
    var moved = JobChain()
    while let job = popFirst() { moved.append(job.moved(to: band)) }
    return moved
  }

  /// Returns the chain and leaves an empty one.
  @inlinable @inline(__always) public mutating func take() -> JobChain {
    let chain = self
    self = JobChain()
    return chain
  }

  @inlinable @inline(__always) mutating func note(count added: Int, bands mask: UInt8) {
    jobCount += added
    bandMask |= mask
  }

  @inlinable @inline(__always) mutating func forgetOne() {
    jobCount -= 1
    if jobCount == 0 {
      lastWord = 0
      bandMask = 0
    }
  }
}
