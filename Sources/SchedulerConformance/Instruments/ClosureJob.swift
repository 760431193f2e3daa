// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// A job on the heap that calls a closure once and frees itself.
@safe package struct ClosureJob: ~Copyable {
  /// What the job does; returns the immediate successor, if any.
  package typealias Body = @Sendable (inout WorkerContext) -> Job?

  private let header: JobHeader
  private let body: Body

  /// A job that calls `body`.
  ///
  /// It leaks if it never runs.
  package static func make(band: PriorityBand = .normal, _ body: @escaping Body) -> Job {
    let job = UnsafeMutablePointer<ClosureJob>.allocate(capacity: 1)
    let header = unsafe JobHeader(run: { header, context in
      // SAFETY: the seam passes the header made below and the address of a context.
      unsafe ClosureJob.run(
        header.assumingMemoryBound(to: ClosureJob.self),
        context.assumingMemoryBound(to: WorkerContext.self))
    })
    unsafe job.initialize(to: ClosureJob(header: header, body: body))
    // SAFETY: `header` is the first stored property, so it has the address of the whole.
    return unsafe Job(
      header: UnsafeMutableRawPointer(job).assumingMemoryBound(to: JobHeader.self), band: band)
  }

  /// A job that calls `body` and has no successor.
  package static func plain(
    band: PriorityBand = .normal, _ body: @escaping @Sendable () -> Void
  ) -> Job {
    make(band: band) { _ in
      body()
      return nil
    }
  }

  private static func run(
    _ job: UnsafeMutablePointer<ClosureJob>, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    // SAFETY: whoever runs the job owns it; the memory is not used again.
    let body = unsafe job.pointee.body
    unsafe job.deinitialize(count: 1)
    unsafe job.deallocate()
    return unsafe body(&context.pointee)?.word ?? 0
  }
}

extension Scheduler {
  /// Submits one job that calls `body`.
  package func submit(band: PriorityBand = .normal, _ body: @escaping @Sendable () -> Void) {
    submit(JobChain(ClosureJob.plain(band: band, body)))
  }
}
