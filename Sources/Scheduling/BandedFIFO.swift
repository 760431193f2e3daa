// SPDX-License-Identifier: Apache-2.0

/// Jobs in strict priority order, first in, first out within a band: the queue of every scheduler
/// with exact order.
///
/// Five chains linked through the jobs' own link words and a mask of the non-empty ones, so nothing
/// is allocated and the best job is found with one bit scan. A plain value: its owner guards it
/// with a lock or keeps it on one thread. Dropping a non-empty list loses its jobs.
@usableFromInline package struct BandedFIFO: ~Copyable, Sendable {
  @usableFromInline var chains = InlineArray<5, JobChain> { _ in JobChain() }
  @usableFromInline var mask: UInt8 = 0
  @usableFromInline var jobCount = 0

  /// An empty list.
  @inlinable package init() {}

  /// Number of jobs.
  @inlinable package var count: Int { jobCount }
  /// True when there is no job.
  @inlinable package var isEmpty: Bool { mask == 0 }
  /// One bit per band that has a job, `PriorityBand.mask`.
  @inlinable package var bands: UInt8 { mask }

  /// The job that `popFirst()` would return.
  @inlinable package var first: Job? {
    guard mask != 0 else { return nil }
    return chains[mask.trailingZeroBitCount].first
  }

  /// Adds a job behind the others of its band.
  ///
  /// O(1).
  @inlinable package mutating func append(_ job: Job) {
    chains[Int(job.band.rawValue)].append(job)
    mask |= job.band.mask
    jobCount += 1
  }

  /// Adds every job of a chain, each behind the others of its band, in the order of the chain.
  ///
  /// O(1) when the chain has one band, else O(length).
  @inlinable package mutating func append(_ jobs: consuming JobChain) {
    guard let first = jobs.first else { return }
    guard jobs.bands == first.band.mask else {
      while let job = jobs.popFirst() { append(job) }
      return
    }
    append(oneBand: jobs)
  }

  /// As `append(_:)` for a chain whose jobs share a band.
  @inlinable @inline(__always) package mutating func append(oneBand jobs: consuming JobChain) {
    guard let first = jobs.first else { return }
    jobCount += jobs.count
    mask |= first.band.mask
    chains[Int(first.band.rawValue)].append(jobs)
  }

  /// Adds every job of a chain, each before the others of its band, in the order of the chain.
  ///
  /// O(1) when the chain has one band, else O(length).
  package mutating func prepend(_ jobs: consuming JobChain) {
    var list = BandedFIFO()
    list.append(jobs)
    for band in chains.indices where list.mask & 1 << UInt8(band) != 0 {
      list.chains[band].append(chains[band].take())
      chains[band] = list.chains[band].take()
    }
    mask |= list.mask
    jobCount += list.jobCount
  }

  /// Adds every job of another list, each behind the others of its band.
  ///
  /// O(bands).
  @inlinable package mutating func append(_ jobs: consuming BandedFIFO) {
    for band in chains.indices where jobs.mask & 1 << UInt8(band) != 0 {
      chains[band].append(jobs.chains[band].take())
    }
    mask |= jobs.mask
    jobCount += jobs.jobCount
  }

  /// Returns the list and leaves an empty one.
  @inlinable @inline(__always) package mutating func take() -> BandedFIFO {
    let list = self
    self = BandedFIFO()
    return list
  }

  /// Number of jobs of the most urgent band that has any.
  @inlinable package var countOfFirstBand: Int {
    mask == 0 ? 0 : chains[mask.trailingZeroBitCount].count
  }

  /// Removes the oldest `count` jobs, at least 1, of the most urgent band; all of it when there are
  /// not more.
  ///
  /// O(count).
  @inlinable package mutating func popFirst(_ count: Int) -> JobChain {
    mask == 0 ? JobChain() : take(count, from: mask.trailingZeroBitCount)
  }

  /// Removes the oldest job of the least urgent band.
  ///
  /// O(1).
  @inlinable package mutating func popLeastUrgent() -> Job? {
    mask == 0 ? nil : take(1, from: 7 - mask.leadingZeroBitCount).first
  }

  @inlinable mutating func take(_ count: Int, from band: Int) -> JobChain {
    let taken = chains[band].popFirst(count)
    jobCount -= taken.count
    if chains[band].isEmpty { mask &= ~(1 << UInt8(band)) }
    return taken
  }

  /// Removes the oldest job of the most urgent band.
  ///
  /// O(1).
  @inlinable package mutating func popFirst() -> Job? {
    guard mask != 0 else { return nil }
    let band = mask.trailingZeroBitCount
    guard let job = chains[band].popFirst() else { return nil }
    jobCount -= 1
    if chains[band].isEmpty { mask &= mask - 1 }
    return job
  }

  /// Removes the oldest job that `accepts` of the most urgent band that has one.
  ///
  /// O(jobs before it).
  package mutating func popFirst(where accepts: (Job) -> Bool) -> Job? {
    for band in chains.indices where mask & 1 << UInt8(band) != 0 {
      guard let job = chains[band].popFirst(where: accepts) else { continue }
      jobCount -= 1
      if chains[band].isEmpty { mask &= ~(1 << UInt8(band)) }
      return job
    }
    return nil
  }

  /// True when `job` would leave before everything in the list if it were appended now.
  @inlinable package func startsAhead(_ job: Job) -> Bool {
    mask & (job.band.mask | (job.band.mask &- 1)) == 0
  }

  /// Removes the jobs that `accepts`; the others keep their order.
  ///
  /// O(jobs).
  package mutating func removeAll(where accepts: (Job) -> Bool) -> JobChain {
    var removed = JobChain()
    var kept = BandedFIFO()
    while let job = popFirst() {
      if accepts(job) { removed.append(job) } else { kept.append(job) }
    }
    self = kept
    return removed
  }
}
