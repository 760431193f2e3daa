// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// The first argument of a child.
package let measureChildVerb = "__measure"

/// Is a child: measures what it is told to on the inherited pipes, and reports on another.
///
/// Call it before anything else, on the main thread, with the argument that followed
/// `measureChildVerb`, and exit with what it returns: 0 when the conversation came to its end or
/// the report says why not, 64 when the process is not a child of an orchestrator. Ends the process
/// by itself when the orchestrator dies.
///
/// - Parameter calls: behind the processor's counters.
package func runMeasureChild(
  arguments: [String], suite: Suite, calls: CounterCalls = .system
) -> Int32 {
  guard arguments.count == 1 else {
    return complain("expected one argument, the first line; found \(arguments.count)")
  }
  let setup: ChildSetup
  do throws(HelloError) { setup = try ChildSetup(hello: arguments[0]) } catch {
    // An orchestrator of another version still understands who it started.
    if case .version = error, shim_child_begin() == 0 {
      var writer = ReportWriter()
      writer.say(.own)
      writer.answer(.failed(ChildFailure(.misunderstood, detail: error.description)))
    }
    return complain(error.description)
  }
  let pinned = setup.cpus.map { pin(to: $0, arguments[0]) } ?? true
  let error = shim_child_begin()
  guard error == 0 else {
    if let remedy = Shortage.remedy(for: error) {
      return complain("cannot start a thread (\(errorText(error))); \(remedy)")
    }
    return complain("no orchestrator (\(errorText(error)))")
  }
  var writer = ReportWriter()
  writer.say(.own)
  do throws(ChildFailure) {
    let allocator = try AllocatorProof.prove(setup.allocator).get()
    let counted: Int?
    if let wanted = setup.provenAllocations {
      counted = try AllocationCounter.counted(wanted)
    } else {
      counted = nil
    }
    writer.answer(.ready(ReadyReport(allocator: allocator, countedAllocations: counted)))
    guard pinned else {
      throw .unavailable(
        "cpus",
        "cannot pin the process to \(setup.cpus ?? 0) CPUs; it may use \(shim_usable_cpus())")
    }
    var session = ChildSession(suite: suite, countsAllocations: counted != nil, calls: calls)
    try session.obey(&writer)
    let epoch = shim_jemalloc_epoch_ns()
    writer.answer(
      .end(
        EndReport(
          peakRSS: Int(shim_peak_rss()), jemallocEpochNanoseconds: epoch >= 0 ? epoch : nil)))
  } catch {
    writer.answer(.failed(error))
  }
  return 0
}

/// Restricts the process to that many CPUs; false when it cannot.
///
/// Starts the program anew when it may use more, since the allocator and libdispatch count the CPUs
/// when they are loaded. Before any other thread starts, since threads inherit it, and before the
/// pipes are closed on exec.
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
