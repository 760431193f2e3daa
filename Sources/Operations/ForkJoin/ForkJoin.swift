// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Scheduling

/// Runs two closures, possibly at the same time, and returns what both returned.
///
/// The calling thread runs `first` and offers `second` to the other workers meanwhile; what nobody has taken by then it
/// runs itself. Nothing is allocated, so that halves may be small: a fork that nobody takes costs some nanoseconds more
/// than two calls. Forks nest to any depth that the stack allows.
///
/// In an operation or a graph's node on a scheduler whose workers hold jobs of their own, `WorkStealingScheduler`; elsewhere
/// the closures run one after the other on the calling thread. `second` belongs to the same operation as `first`:
/// `OperationQueue.current` and waits are as they are there. Neither looks at cancellation. Neither may need a lock that
/// the caller holds. Page: ForkJoin.md.
///
/// Both have run when this returns or throws. If both throw, the error is `first`'s.
@inlinable
public func forkJoin<A, B: Sendable, Failure: Error>(
  _ first: () throws(Failure) -> A, _ second: @Sendable () throws(Failure) -> B
) throws(Failure) -> (A, B) {
  var firstResult: Result<A, Failure>?
  var secondResult: Result<B, Failure>?
  ForkJoin.run(
    { firstResult = Result(catching: first) }, { secondResult = Result(catching: second) })
  guard let firstResult, let secondResult else { ForkJoin.hasNotRun() }
  return (try firstResult.get(), try secondResult.get())
}

/// Runs `body` for every index of a range, possibly at the same time, as `forkJoin` does with halves of the range.
///
/// - Parameters:
///   - range: the indices; each is used once, in no order.
///   - grain: a range of at most that many indices is not halved further; by default an eighth of a worker's share.
///   - body: the work. If it throws, the rest of the same grain is left out, other grains run, and the error for the
///     lowest index is thrown at the end.
@inlinable
public func forkEach<Failure: Error>(
  _ range: Range<Int>, grain: Int? = nil, _ body: @Sendable (Int) throws(Failure) -> Void
) throws(Failure) {
  try ForkJoin.split(range, grain: max(1, grain ?? ForkJoin.grain(of: range.count)), body)
}

/// What the public functions are made of.
@usableFromInline enum ForkJoin {
  /// Runs both closures; `second` perhaps on another thread.
  @usableFromInline @inline(never) static func run(_ first: () -> Void, _ second: () -> Void) {
    ThreadRecord.withCurrent { record in
      let queue = record.currentQueue
      if queue != 0 {
        // SAFETY: the operation that runs here keeps its queue.
        unsafe OperationQueue.reference(queue)._withUnsafeGuaranteedRef { queue in
          run(first, second, record, queue.scheduler, bandOfOperation(record))
        }
      } else if let scheduler = record.schedulerOfGraph {
        run(first, second, record, scheduler, .normal)
      } else {
        first()
        second()
      }
    }
  }

  @inline(__always) private static func run(
    _ first: () -> Void, _ second: () -> Void, _ record: ThreadRecord, _ scheduler: any Scheduler,
    _ band: PriorityBand
  ) {
    var frame = ForkFrame(closureWords(second), of: record)
    // SAFETY: the frame stays where it is until the closure returns, and nobody has it then: it was taken back, or whoever
    // ran it has made its last access.
    unsafe withUnsafeMutablePointer(to: &frame) { frame in
      let job = unsafe ForkFrame.job(frame, in: band)
      let isOffered = scheduler.offer(job)
      first()
      if isOffered, !scheduler.takeBack(job),
        unsafe ForkFrame.wait(for: frame, in: band, record, scheduler)
      {
        // A use, so that the optimiser does not end the closure's life before its taker has called it.
        _ = closureWords(second)
      } else {
        second()
      }
    }
  }

  /// The band of the operation that runs here; `normal` for a closure that stands for none.
  @inline(__always) private static func bandOfOperation(_ record: ThreadRecord) -> PriorityBand {
    let word = record.currentOperation
    guard word != 0 else { return .normal }
    guard Operation.isOperation(at: word) else { return .normal }
    // SAFETY: the operation runs here.
    return unsafe Operation.reference(word)._withUnsafeGuaranteedRef(\.band)
  }

  /// An eighth of what one worker would get.
  @usableFromInline static func grain(of count: Int) -> Int {
    let workers = ThreadRecord.withCurrent { record in
      record.schedulerOfGraph?.workerCount
        ?? (record.currentQueue == 0 ? nil : OperationQueue.stockCurrent?.scheduler.workerCount)
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
