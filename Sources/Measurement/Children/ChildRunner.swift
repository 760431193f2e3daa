// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import Harness
internal import Machine

/// Starts measuring processes.
///
/// A child is this program again, told by its first argument to measure. It shares the
/// orchestrator's process group, so that Ctrl-Z stops both, but ignores SIGINT, SIGTERM and SIGHUP:
/// the orchestrator decides. It inherits its pipes and nothing else, and ends by itself when the
/// orchestrator dies. When `run` returns, the child is gone and reaped. Any thread.
package struct ChildRunner: Sendable {
  /// Allocations by which a child that counts them proves its counter.
  private static let provenAllocations = 1_000
  /// How much of the end of a child's stderr is kept.
  package static let standardErrorLimit = 8192

  private let executable: String
  private let wrapper: ChildWrapper?
  private let interrupt: InterruptFlag?
  private let disturbances: DisturbanceProbe

  /// A runner that starts `executable`, which must call `runMeasureChild` for the verb.
  ///
  /// Under a wrapper the executable is a path that the wrapper can open.
  package init(
    executable: String = ExecutablePath.running, wrapper: ChildWrapper? = nil,
    interrupt: InterruptFlag? = nil
  ) {
    self.executable = executable
    self.wrapper = wrapper
    self.interrupt = interrupt
    disturbances = DisturbanceProbe()
    shim_keep_zombies()
  }

  /// The path under which other programs find what the children are.
  var program: String {
    executable == ExecutablePath.running ? ExecutablePath.own ?? executable : executable
  }

  /// Measures one assignment, and nothing else, in a child of its own.
  ///
  /// A child that has not ended after `deadline` is killed and counts as hung; time during which
  /// this process itself did not run (stopped, machine asleep) does not count. Every failure is in
  /// the outcome.
  package func run(
    _ assignment: Assignment, deadline: Duration, allocator: Allocator
  ) -> MeasurementOutcome {
    var outcome = MeasurementOutcome()
    let before = disturbances.read()
    let start = MonotonicClock.nanoseconds()
    do throws(MeasurementFailure) {
      let child = try self.start(
        ChildSetup(
          allocator: allocator, cpus: assignment.cpus,
          provenAllocations: assignment.countsAllocations ? Self.provenAllocations : nil),
        padding: assignment.environmentPadding, deadline: deadline)
      defer { child.end() }
      try measure(assignment, in: child, &outcome)
    } catch { outcome.failure = error }
    outcome.elapsedNanoseconds = MonotonicClock.nanoseconds() - start
    outcome.disturbance = disturbances.read().since(before)
    return outcome
  }

  /// Every step of an assignment.
  private func measure(
    _ assignment: Assignment, in child: MeasuringChild, _ outcome: inout MeasurementOutcome
  ) throws(MeasurementFailure) {
    try child.awaitReady()
    outcome.allocatorProof = child.allocatorProof
    if assignment.countsAllocations, child.countedAllocations != Self.provenAllocations {
      throw .unavailable(
        reason: "allocation-counter",
        detail: "the child counted \(child.countedAllocations ?? 0) allocations of "
          + "\(Self.provenAllocations); expected every one, as `bench selftest` proves it")
    }
    try child.prepare(assignment)
    try child.iterate(
      Iterations(
        warmups: max(0, assignment.warmups), least: max(1, assignment.minimumIterations),
        most: max(1, assignment.maximumIterations),
        budgetNanoseconds: assignment.timeBudgetNanoseconds,
        countsHardware: assignment.countsHardware), into: &outcome)
    let last = try child.stop()
    outcome.peakRSS = last.peakRSS
    outcome.jemallocEpochNanoseconds = last.jemallocEpochNanoseconds
    guard outcome.iterations.isEmpty else { return }
    throw .crashed(.incomprehensible("no sample"), standardError: "")
  }

  /// Starts a child that waits for commands.
  ///
  /// - Parameters:
  ///   - setup: what has to be so before its first thread starts.
  ///   - padding: bytes added to its environment; see `Assignment.environmentPadding`.
  ///   - deadline: for all steps together, unless `MeasuringChild.allow` gives more.
  ///   - variables: of the child beside those that every child has, as `NAME=VALUE`.
  package func start(
    _ setup: ChildSetup, padding: Int = 0, deadline: Duration, variables: [String] = []
  ) throws(MeasurementFailure) -> MeasuringChild {
    if interrupt?.isRaised == true { throw .interrupted }
    let changes = try environmentChanges(setup, padding: padding).get()
    let child = spawn(setup, ([changes] + variables).joined(separator: "\n"))
    guard child.error == 0 else {
      let remedy = Shortage.remedy(for: child.error).map { "; \($0)" } ?? ""
      let path = wrapper?.path ?? executable
      let detail = "cannot start \(path): \(errorText(child.error))\(remedy)"
      throw .unavailable(reason: "spawn", detail: detail)
    }
    return MeasuringChild(child, interrupt: interrupt, deadline: deadline)
  }

  private func spawn(_ setup: ChildSetup, _ changes: String) -> shim_child {
    guard let wrapper else {
      // SAFETY: the texts live through the call, which copies what it keeps.
      return unsafe shim_spawn(executable, "bench", measureChildVerb, setup.line, changes)
    }
    let words =
      ([wrapper.path] + wrapper.arguments + [executable, measureChildVerb, setup.line])
      .map { $0 + "\0" }.joined()
    let variables = ([changes] + wrapper.environment).joined(separator: "\n")
    // SAFETY: as above; the words are so many bytes.
    return unsafe shim_spawn_on_one_cpu(
      wrapper.path, words, UInt64(words.utf8.count), variables)
  }

  /// What differs between a child's environment and this process's, as lines for `shim_spawn`.
  private func environmentChanges(
    _ setup: ChildSetup, padding: Int
  ) -> Result<String, MeasurementFailure> {
    let allocator = setup.allocator
    if let refusal = AllocatorSupport.refusal(of: allocator) {
      return .failure(.unavailable(reason: "allocator", detail: refusal))
    }
    // The child must not build itself anew, and its stack is in the core dump: the Swift runtime's
    // own report of a crash takes seconds and can hang.
    var lines = ["BENCH_NO_REEXEC=1", "SWIFT_BACKTRACE=enable=no"]
    if padding > 0 {
      lines.append("BENCH_PADDING=" + String(repeating: "x", count: padding))
    }
    if setup.provenAllocations != nil {
      // Without caches of threads, which keep to themselves what they gave. The last word counts.
      let others = EnvironmentVariable.value(of: "MALLOC_CONF").map { "\($0)," } ?? ""
      lines.append("MALLOC_CONF=\(others)tcache:false")
    }
    var library: String?
    if allocator == .jemalloc, !AllocatorSupport.isLinkedIn {
      switch JemallocLibrary.locate() {
      case .success(let path): library = path
      case .failure(let error):
        return .failure(.unavailable(reason: "allocator", detail: error.message))
      }
    }
    let preload = JemallocLibrary.preload(
      EnvironmentVariable.value(of: "LD_PRELOAD"), library: library)
    lines.append(preload.isEmpty ? "LD_PRELOAD" : "LD_PRELOAD=\(preload)")
    return .success(lines.joined(separator: "\n"))
  }
}
