// SPDX-License-Identifier: Apache-2.0

/// What a back end and the jobs it runs tell each other: one value per running worker, owned by its
/// thread.
///
/// A worker loop keeps one context and, for every job: calls `Job.run(in:)`, publishes
/// `takeReady()`, then runs the successor or the next job. Before it blocks, searches for long or
/// leaves its thread it calls `prepareToIdle()`. `runToCompletion(_:publish:)` does all of it for a
/// back end that has no wish of its own.
@safe @frozen public struct WorkerContext: ~Copyable {
  /// Called by `prepareToIdle()`; set by the job layer when it holds results back for batching.
  public typealias IdleFunction = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// Index of the worker, 0 ..< `workerCount`; compensation threads have higher ones.
  public let worker: Int
  /// Which scheduler runs the job; jobs compare it with the scheduler of what they make ready.
  public let scheduler: SchedulerIdentity
  /// Jobs made ready by the job that has just run, oldest first, without the immediate successor.
  public var ready: JobChain
  /// Bands in which this worker holds jobs of its own, `PriorityBand.mask`; written by the back
  /// end, a hint.
  ///
  /// A job keeps its immediate successor back only when no more urgent band is set.
  public var localBands: UInt8
  /// For the job layer: what `prepareToIdle()` must do, or nil.
  @unsafe public var idle: IdleFunction?
  /// Where the job that runs next was found; a back end that knows writes it before every run, for
  /// recordings.
  public var origin: JobOrigin

  /// A context for the worker with this index.
  @inlinable public init(worker: Int, scheduler: SchedulerIdentity) {
    self.worker = worker
    self.scheduler = scheduler
    ready = JobChain()
    localBands = 0
    unsafe idle = nil
    origin = JobOrigin(.unknown)
  }

  /// Returns what the last job made ready and forgets it.
  @inlinable public mutating func takeReady() -> JobChain { ready.take() }

  /// Makes results visible that were held back for batching.
  ///
  /// Must precede every wait and the end of the thread.
  ///
  /// A waiter may otherwise wait for as long as this worker idles.
  @inlinable public mutating func prepareToIdle() {
    guard let function = unsafe idle else { return }
    unsafe idle = nil
    // SAFETY: the function takes the address of the context, which outlives the call.
    unsafe withUnsafeMutablePointer(to: &self) { context in
      unsafe function(UnsafeMutableRawPointer(context))
    }
  }

  /// Runs a job and up to `bound` immediate successors, publishing what becomes ready, and leaves
  /// nothing held back.
  ///
  /// Worker thread only. The successor at the bound is published like the rest, so that a long
  /// chain cannot keep the worker from other jobs. A job that has run, or is run again, is
  /// undefined behaviour.
  /// - Parameters:
  ///   - job: the job to run; the call takes it over.
  ///   - bound: how many successors run in place, 0 or more.
  ///   - publish: takes over every chain of ready jobs; usually the back end's own `submit`.
  @unsafe @inlinable public mutating func runToCompletion(
    _ job: Job, bound: Int = 256, publish: (consuming JobChain) -> Void
  ) {
    var current = job
    var left = bound
    let origin = origin
    defer { self.origin = origin }
    while true {
      // SAFETY: the caller's job, then successors, which this loop owns.
      let successor = unsafe current.run(in: &self)
      if let successor, left == 0 {
        ready.prepend(successor)
      }
      if !ready.isEmpty { publish(takeReady()) }
      guard let successor, left > 0 else { break }
      left -= 1
      current = successor
      self.origin = JobOrigin(.successor)
    }
    prepareToIdle()
  }
}
