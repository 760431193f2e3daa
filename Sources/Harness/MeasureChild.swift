// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Scheduling

/// The first argument of a child.
package let measureChildVerb = "__measure"

/// Is a child: measures the assignment in the argument that followed `measureChildVerb` and reports on the inherited pipe.
///
/// Call it before anything else, on the main thread, and exit with what it returns: 0 when the assignment was measured
/// or the report says why not, 64 when the process is not a child of an orchestrator. Ends the process by itself when the
/// orchestrator dies.
package func runMeasureChild(arguments: [String], suite: Suite) -> Int32 {
  guard arguments.count == 1 else {
    return complain("expected one argument, the assignment; found \(arguments.count)")
  }
  let assignment: Assignment
  do { assignment = try Assignment(encoded: arguments[0]) } catch {
    return complain(error.message)
  }
  let pinned = assignment.cpus.map { pin(to: $0, arguments[0]) } ?? true
  let error = shim_child_begin()
  guard error == 0 else {
    if let remedy = Shortage.remedy(for: error) {
      return complain("cannot start a thread (\(errorText(error))); \(remedy)")
    }
    return complain("no orchestrator (\(errorText(error)))")
  }
  var stream = ResultStream()
  do throws(MeasurementFailure) {
    stream.ready(proof: try AllocatorProof.prove(assignment.allocator).get())
    guard pinned else {
      throw unavailable(
        "cpus",
        "cannot pin the process to \(assignment.cpus ?? 0) CPUs; it may use \(shim_usable_cpus())")
    }
    try measure(assignment, suite, &stream)
    stream.peakRSS(shim_peak_rss())
    let epoch = shim_jemalloc_epoch_ns()
    if epoch >= 0 { stream.jemallocEpoch(nanoseconds: epoch) }
  } catch {
    stream.failure(error)
  }
  stream.done()
  return 0
}

/// Restricts the process to that many CPUs; false when it cannot.
///
/// Starts the program anew when it may use more, since the allocator and libdispatch count the CPUs when they are
/// loaded. Before any other thread starts, since threads inherit it, and before the pipes are closed on exec.
private func pin(to cpus: Int, _ argument: String) -> Bool {
  let count = Int32(clamping: cpus)
  guard shim_usable_cpus() > count else { return shim_usable_cpus() == count }
  guard shim_pin(count) == 0, shim_usable_cpus() == count else { return false }
  for word in ["bench", measureChildVerb, argument] {
    // SAFETY: the text lives through the call, which copies it.
    guard unsafe shim_add_argument(word) == 0 else { return false }
  }
  // SAFETY: the text lives through the call, which does not return on success.
  _ = unsafe shim_execute("/proc/self/exe")
  return false
}

private func complain(_ finding: String) -> Int32 {
  let text =
    "bench \(measureChildVerb): \(finding); this verb is for child processes that bench starts "
    + "itself; use 'bench run'\n"
  // SAFETY: the text lives through the call. Nobody is left to tell about an error.
  _ = unsafe shim_write_all(2, text, UInt64(text.utf8.count))
  return 64
}

/// What the assignment names, ready to be iterated on the system that it names.
private struct Program {
  var operations: Int
  var iterate: (inout IterationRecorder) throws(WrongAnswer) -> Void
}

private func measure(
  _ assignment: Assignment, _ suite: Suite, _ stream: inout ResultStream
) throws(MeasurementFailure) {
  switch assignment.system {
  case .reference(let name):
    try measure(assignment, suite, &stream) { assignment throws(MeasurementFailure) in
      let workload = try reference(name, assignment, suite)
      return Program(operations: workload.operationsPerIteration) {
        recorder throws(WrongAnswer) in
        try workload.iterate(workers: assignment.workers, recorder: &recorder)
      }
    }
  case .scheduler(let name):
    let scheduler = try scheduler(name, assignment, suite)
    try measure(assignment, suite, &stream) { assignment throws(MeasurementFailure) in
      let workload = try workload(assignment, suite)
      return Program(operations: workload.operationsPerIteration) {
        recorder throws(WrongAnswer) in
        try workload.iterate(on: scheduler, recorder: &recorder)
      }
    }
    scheduler.shutDown()
  }
}

/// Makes the program that is measured and, when that is another one, the program that warms up, and iterates them.
private func measure(
  _ assignment: Assignment, _ suite: Suite, _ stream: inout ResultStream,
  make: (Assignment) throws(MeasurementFailure) -> Program
) throws(MeasurementFailure) {
  var warmUp = assignment
  if case .workload(let name) = assignment.subject, let description = suite.workload(named: name) {
    warmUp.parameters = description.warmUpParameters(for: assignment.parameters)
  }
  let measured = try make(assignment)
  try iterate(
    assignment, warmUp: warmUp == assignment ? measured : try make(warmUp), measured, &stream)
}

/// Warm-ups, then timed iterations until there are enough of them and they have taken long enough.
private func iterate(
  _ assignment: Assignment, warmUp: Program, _ measured: Program, _ stream: inout ResultStream
) throws(MeasurementFailure) {
  let operations = min(measured.operations, warmUp.operations)
  guard operations > 0 else {
    throw unavailable(
      "workload", "the workload counts \(operations) operations; expected 1 or more")
  }
  var recorder = IterationRecorder()
  for _ in 0..<max(0, assignment.warmups) { _ = try one(&recorder, warmUp) }
  let start = MonotonicClock.nanoseconds()
  var count = 0
  while count < max(1, assignment.maximumIterations),
    count < max(1, assignment.minimumIterations)
      || MonotonicClock.nanoseconds() - start < assignment.timeBudgetNanoseconds
  {
    let sample = try one(&recorder, measured)
    stream.iteration(sample, recorder)
    count += 1
  }
}

private func one(
  _ recorder: inout IterationRecorder, _ program: Program
) throws(MeasurementFailure) -> IterationSample {
  recorder.reset()
  do throws(WrongAnswer) {
    try program.iterate(&recorder)
  } catch {
    throw .wrongAnswer(error.message)
  }
  guard let sample = recorder.sample(operations: program.operations) else {
    throw unavailable(
      "workload", "the workload did not stamp begin, built, ran, released once each and in order")
  }
  return sample
}

private func unavailable(_ reason: String, _ detail: String) -> MeasurementFailure {
  .unavailable(reason: reason, detail: detail)
}

private func workload(
  _ assignment: Assignment, _ suite: Suite
) throws(MeasurementFailure) -> any Workload {
  do throws(WorkloadError) {
    switch assignment.subject {
    case .workload(let name):
      guard let description = suite.workload(named: name) else {
        throw WorkloadError(message: "no workload '\(name)' in this suite")
      }
      return try description.make(assignment.parameters)
    case .graph(let path):
      guard let replay = suite.replay else {
        throw WorkloadError(message: "\(path): this suite cannot replay graphs")
      }
      return try replay(assignment)
    }
  } catch { throw unavailable("workload", error.message) }
}

private func scheduler(
  _ name: String, _ assignment: Assignment, _ suite: Suite
) throws(MeasurementFailure) -> any Scheduler {
  guard let entry = suite.scheduler(named: name) else {
    throw unavailable("scheduler", "no scheduler '\(name)' in this suite")
  }
  let scheduler: any Scheduler
  do throws(KnobError) {
    try assignment.knobs.check(against: entry.knobs, of: "scheduler '\(name)'")
    scheduler = try entry.make(assignment.workers, assignment.knobs)
  } catch { throw unavailable("knobs", error.description) }
  guard scheduler.workerCount == assignment.workers else {
    throw unavailable(
      "workers",
      "scheduler '\(name)', made with workers \(assignment.workers), has workerCount "
        + "\(scheduler.workerCount); expected the same; one that keeps a count of its own is measured "
        + "with --workers \(scheduler.workerCount)")
  }
  return scheduler
}

private func reference(
  _ name: String, _ assignment: Assignment, _ suite: Suite
) throws(MeasurementFailure) -> any ReferenceWorkload {
  guard let description = suite.reference(named: name) else {
    throw unavailable("reference", "no reference system '\(name)' in this suite")
  }
  guard case .workload(let subject) = assignment.subject,
    let program = description.workloads[subject]
  else {
    throw unavailable("reference", "reference system '\(name)' does not have this workload")
  }
  do throws(WorkloadError) { return try program.make(program.capped(assignment.parameters)) } catch
  {
    throw unavailable("workload", error.message)
  }
}
