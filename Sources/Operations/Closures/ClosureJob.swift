// SPDX-License-Identifier: Apache-2.0

import Scheduling

/// A job on the heap that calls a closure once and frees itself: what is no operation but needs a
/// worker.
struct ClosureJob: ~Copyable {
  let header: JobHeader
  let body: @Sendable () -> Void

  /// A job that calls `body`; it leaks if it never runs.
  static func make(band: PriorityBand, _ body: @escaping @Sendable () -> Void) -> Job {
    let job = UnsafeMutablePointer<ClosureJob>.allocate(capacity: 1)
    unsafe job.initialize(to: ClosureJob(header: JobHeader(run: closureJobRun), body: body))
    // SAFETY: the header is the first field, so it has the address of the whole.
    return unsafe Job(
      header: UnsafeMutableRawPointer(job).assumingMemoryBound(to: JobHeader.self), band: band)
  }

  /// Whether a job of a scheduler is one of these; whoever asks holds it.
  static func isOne(_ job: Job) -> Bool {
    unsafe job.runs(closureJobRun)
  }

  /// Moves the closure out of a job's memory and frees that.
  fileprivate static func take(
    _ job: UnsafeMutablePointer<ClosureJob>
  ) -> @Sendable () -> Void {
    // SAFETY: whoever runs the job owns it; the memory is not used again.
    let body = unsafe job.pointee.body
    unsafe job.deinitialize(count: 1)
    unsafe job.deallocate()
    return body
  }
}

private func closureJobRun(
  _ header: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
) -> UInt {
  // It may run for long, and it is of no queue: nobody must wait for what this worker holds back.
  ThreadRecord.withCurrent { $0.settleCredit() }
  SchedulerEvents.beginsJob()
  unsafe ClosureJob.take(header.assumingMemoryBound(to: ClosureJob.self))()
  SchedulerEvents.endsJob()
  return 0
}
