// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Scheduling

/// Runs two closures, possibly at the same time, and returns what both returned.
///
/// The calling thread runs `first` and offers `second` to the other workers meanwhile; what nobody
/// has taken by then it runs itself. Nothing is allocated, so that halves may be small: a fork that
/// nobody takes costs some nanoseconds more than two calls. Forks nest to any depth that the stack
/// allows.
///
/// In an operation or a graph's node on a scheduler whose workers hold jobs of their own,
/// `WorkStealingScheduler`; elsewhere the closures run one after the other on the calling thread.
/// `second` belongs to the same operation as `first`: `OperationQueue.current` and waits are as
/// they are there. Neither looks at cancellation. Neither may need a lock that the caller holds.
/// Page: ForkJoin.md.
///
/// Both have run when this returns or throws. If both throw, the error is `first`'s.
@inlinable @inline(never)
public func forkJoin<A, B: Sendable, Failure: Error>(
  _ first: () throws(Failure) -> A, _ second: @Sendable () throws(Failure) -> B
) throws(Failure) -> (A, B) {
  // A function of its own: the frame must lie in the stack, also when the caller is `async`.
  var taken: Result<B, Failure>?
  let (first, second) = ForkJoin.both(
    first, second, asTaken: { taken = Result(catching: second) })
  guard let second = second ?? taken else { ForkJoin.hasNotRun() }
  return (try first.get(), try second.get())
}

/// Runs `body` for every index of a range, possibly at the same time, as `forkJoin` does with
/// halves of the range.
///
/// - Parameters:
///   - range: the indices; each is used once, in no order.
///   - grain: a range of at most that many indices is not halved further; by default an eighth of a
///     worker's share.
///   - body: the work. If it throws, the rest of the same grain is left out, other grains run, and
///     the error for the lowest index is thrown at the end.
@inlinable
public func forkEach<Failure: Error>(
  _ range: Range<Int>, grain: Int? = nil, _ body: @Sendable (Int) throws(Failure) -> Void
) throws(Failure) {
  try ForkJoin.split(range, grain: max(1, grain ?? ForkJoin.grain(of: range.count)), body)
}

/// What the public functions are made of.
@usableFromInline enum ForkJoin {
  /// Runs `first`, and `second` unless another thread has run `half` meanwhile, which does the
  /// same; nil if so.
  @inlinable @inline(__always) static func both<A, B: Sendable, Failure: Error>(
    _ first: () throws(Failure) -> A, _ second: @Sendable () throws(Failure) -> B,
    asTaken half: () -> Void
  ) -> (Result<A, Failure>, Result<B, Failure>?) {
    @inline(__always) func run(
      _ space: UnsafeMutableRawBufferPointer
    ) -> (Result<A, Failure>, Result<B, Failure>?) {
      let frame = unsafe space.baseAddress.unsafelyUnwrapped
      let job = unsafe fork(half, in: frame)
      let first = Result(catching: first)
      if job != 0, unsafe !isLeft(job, frame) {
        // A use, so that the optimiser does not end the closure's life before its taker has called
        // it.
        keep(half)
        return (first, nil)
      }
      return (first, Result(catching: second))
    }
    return unsafe withUnsafeTemporaryAllocation(
      byteCount: ForkFrame.size, alignment: MemoryLayout<UInt>.alignment, run)
  }

  /// Fills the frame and offers its job, whose word it returns; 0 when forks do nothing here.
  @usableFromInline @inline(never) static func fork(
    _ half: () -> Void, in space: UnsafeMutableRawPointer
  ) -> UInt {
    let body = closureWords(half)
    @inline(__always) func forkHere(_ record: ThreadRecord) -> UInt {
      unsafe offer(body, in: space, record)
    }
    // SAFETY: thread records live for ever.
    return unsafe ThreadRecord.currentReference._withUnsafeGuaranteedRef(forkHere)
  }

  @inline(__always) private static func offer(
    _ body: shim_closure, in space: UnsafeMutableRawPointer, _ record: ThreadRecord
  ) -> UInt {
    // SAFETY: the space has the size and alignment of a frame; a frame needs no deinitialisation.
    let frame = unsafe space.assumingMemoryBound(to: ForkFrame.self)
    unsafe frame.initialize(to: ForkFrame(body, of: record))
    let job = unsafe ForkFrame.job(frame, in: bandOfOperation(record))
    let queue = record.currentQueue
    guard queue != 0 else { return offerInGraph(job, record) }
    // SAFETY: the operation that runs here keeps its queue.
    let isOffered = unsafe OperationQueue.reference(queue)._withUnsafeGuaranteedRef {
      // At home or, while the queue is elsewhere, on a thread that no scheduler of forks knows: it
      // declines.
      $0.home.forker.offer(job)
    }
    return isOffered ? job.word : 0
  }

  @inline(never) private static func offerInGraph(_ job: Job, _ record: ThreadRecord) -> UInt {
    record.runOfGraph?.forker.offer(job) == true ? job.word : 0
  }

  /// Whether the caller must run the second half: nobody has taken it, or who had it has sent it
  /// home.
  ///
  /// Afterwards nobody else has the frame: it was taken back, or whoever ran it has made its last
  /// access.
  @usableFromInline @inline(never) static func isLeft(
    _ word: UInt, _ space: UnsafeMutableRawPointer
  ) -> Bool {
    // SAFETY: `fork` has put a frame there, and returned the word of its job.
    let frame = unsafe space.assumingMemoryBound(to: ForkFrame.self)
    let job = unsafe Job(unsafeWord: word).unsafelyUnwrapped
    @inline(__always) func isLeftHere(_ record: ThreadRecord) -> Bool {
      let queue = record.currentQueue
      guard queue != 0 else { return unsafe isLeftInGraph(job, frame, record) }
      @inline(__always) func isLeftIn(_ queue: OperationQueue) -> Bool {
        if queue.home.forker.takeBack(job) { return true }
        return unsafe !ForkFrame.wait(for: frame, in: job.band, record, queue.home.forker)
      }
      // SAFETY: the operation that runs here keeps its queue.
      return unsafe OperationQueue.reference(queue)._withUnsafeGuaranteedRef(isLeftIn)
    }
    // SAFETY: thread records live for ever.
    return unsafe frame.pointee.owner._withUnsafeGuaranteedRef(isLeftHere)
  }

  @inline(never) private static func isLeftInGraph(
    _ job: Job, _ frame: UnsafeMutablePointer<ForkFrame>, _ record: ThreadRecord
  ) -> Bool {
    guard let scheduler = record.runOfGraph?.forker else { hasNotRun() }
    return unsafe scheduler.takeBack(job)
      || !ForkFrame.wait(for: frame, in: job.band, record, scheduler)
  }

  /// Stands between the join and the look at what `half` has stored.
  ///
  /// Clients know that `fork` keeps no closure, so only this call tells the optimiser that `half`
  /// may have been called. It may not see through `closureWords`.
  @usableFromInline @inline(never) static func keep(_ half: () -> Void) {
    _ = closureWords(half)
  }

  /// The band of the operation that runs here; `normal` for a closure that stands for none, and for
  /// a graph's node.
  @inline(__always) private static func bandOfOperation(_ record: ThreadRecord) -> PriorityBand {
    let word = record.currentOperation
    guard word != 0, Operation.isOperation(at: word) else { return .normal }
    // SAFETY: the operation runs here.
    return unsafe Operation.reference(word)._withUnsafeGuaranteedRef(\.band)
  }

  /// An eighth of what one worker would get.
  @usableFromInline static func grain(of count: Int) -> Int {
    let workers = ThreadRecord.withCurrent { record in
      record.runOfGraph?.scheduler.workerCount
        ?? (record.currentQueue == 0 ? nil : OperationQueue.builtInCurrent?.scheduler.workerCount)
    }
    return workers.map { count / (8 * $0) } ?? count
  }

  /// Halves a range until it is no longer than `grain`.
  @inlinable static func split<Failure: Error>(
    _ range: Range<Int>, grain: Int, _ body: @Sendable (Int) throws(Failure) -> Void
  ) throws(Failure) {
    guard range.count > grain else {
      for index in range { try body(index) }
      return
    }
    let middle = range.lowerBound + range.count / 2
    _ = try forkJoin(
      { () throws(Failure) in try split(range.lowerBound..<middle, grain: grain, body) },
      { () throws(Failure) in try split(middle..<range.upperBound, grain: grain, body) })
  }

  @usableFromInline static func hasNotRun() -> Never {
    Fault.internalError("a half of a fork has not run when it was joined")
  }
}

extension Scheduler {
  /// The scheduler as forks see it, to be kept: a fork has no time to ask, nor to look whether
  /// there is one.
  var forker: any ForkJoinScheduler { forkJoin ?? DecliningForker.instance }
}

/// Stands where the workers hold no jobs: takes no half of a fork, so that the caller runs both.
private final class DecliningForker: ForkJoinScheduler {
  static let instance = DecliningForker()

  var workerCount: Int { 1 }

  func submit(_ jobs: consuming JobChain) {
    Fault.internalError("jobs were submitted to what only declines forks")
  }

  func offer(_ job: Job) -> Bool { false }
  func takeBack(_ job: Job) -> Bool { false }
  func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool { false }
}
