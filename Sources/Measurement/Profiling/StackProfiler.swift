// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Harness
internal import Machine
internal import Results

/// A program of the system that looks into a run without a recording: `perf`, or jemalloc itself.
///
/// The run is one of its own: neither figures nor recordings come from it.
package enum StackProfiler: String, CaseIterable, Sendable {
  /// Where the processors' time goes, by samples of the stacks.
  case processor
  /// Who allocates, in bytes since the process began.
  case heap

  /// Why it cannot be used here.
  package struct Refusal: Error, Hashable, Sendable {
    package let finding: String
    package let expectation: String
    /// What grants it.
    package let remedy: String
  }

  /// Samples in a second of a thread; no round number, so that nothing keeps step with them.
  private static let frequency = 997
  /// How long the program runs under perf, over and over.
  private static let windowNanoseconds: UInt64 = 2_000_000_000
  /// An allocation in so many bytes is a sample, as a power of 2.
  private static let heapSampleBits = 14

  /// Why this machine does not let it look; nil where it does.
  package func refusal() -> Refusal? {
    switch self {
    case .processor:
      let words = ["perf", "record", "-e", "cpu-clock", "-o", "/dev/null", "true"]
      let trial = ExternalProgram.run(words)
      return Self.refusal(
        trial.failure(of: words), program: "perf", package: "linux-perf",
        remedy: "sudo sysctl kernel.perf_event_paranoid=1, or run as root; in a container, "
          + "grant CAP_PERFMON")
    case .heap:
      let words = ["jeprof", "--version"]
      if let refusal = Self.refusal(
        ExternalProgram.run(words).failure(of: words), program: "jeprof",
        package: JemallocLibrary.debianPackage, remedy: "run `jeprof --version` and mend it")
      {
        return refusal
      }
      guard case .success(let library) = JemallocLibrary.locate() else { return nil }
      let trial = ExternalProgram.run(
        ["true"], environment: ["LD_PRELOAD=\(library)", "MALLOC_CONF=prof:true"])
      guard trial.transcript.contains("Invalid conf pair") else { return nil }
      return Refusal(
        finding: "\(library) is built without heap profiles",
        expectation: "a jemalloc that was configured with --enable-prof",
        remedy: "install Debian's \(JemallocLibrary.debianPackage), or name another library in "
          + "\(JemallocLibrary.variable)")
    }
  }

  static func refusal(
    _ failure: ProgramFailure?, program: String, package: String, remedy: String
  ) -> Refusal? {
    switch failure?.cause {
    case nil: nil
    case .notStarted(let error):
      Refusal(
        finding: "\(program) cannot be started: \(errorText(error))",
        expectation: "\(program) in PATH", remedy: "apt-get install \(package)")
    case .ended(let code, let said):
      Refusal(
        finding: "\(program) ended with \(code) and said: \(said)",
        expectation: "permission to look at a process of the same user", remedy: remedy)
    }
  }

  /// Runs the program in a child of its own and looks into it.
  ///
  /// - Parameter folder: an empty folder for what the profiler keeps meanwhile.
  /// - Throws: also `.unavailable` when the profiler has written nothing.
  package func profile(
    _ assignment: Assignment, runner: ChildRunner, folder: String, deadline: Duration
  ) throws(MeasurementFailure) -> StackProfile {
    var ignored = MeasurementOutcome()
    let heap =
      "MALLOC_CONF=prof:true,prof_accum:true,prof_final:true,lg_prof_sample:"
      + "\(Self.heapSampleBits),prof_prefix:\(folder)/heap"
    let child = try runner.start(
      ChildSetup(allocator: assignment.allocator, cpus: assignment.cpus),
      padding: assignment.environmentPadding, deadline: deadline,
      variables: self == .heap ? [heap] : [])
    defer { child.end() }
    try child.awaitReady()
    try child.prepare(assignment)
    try child.iterate(Iterations(warmups: 2, least: 0, most: 0), into: &ignored)
    switch self {
    case .processor:
      let perf = try Self.attach(to: child.process, folder)
      defer { Self.detach(perf) }
      try child.iterate(
        Iterations(
          warmups: 0, least: 1, most: 1_000_000, budgetNanoseconds: Self.windowNanoseconds),
        into: &ignored)
    case .heap:
      // What jemalloc writes when the process ends covers all of it, the warm-ups too.
      try child.iterate(Iterations(warmups: 0, least: 1, most: 1), into: &ignored)
    }
    _ = try child.stop()
    return try stacks(folder, of: runner.program)
  }

  /// Starts perf on the process and waits until it has begun to sample.
  ///
  /// - Returns: its process.
  private static func attach(
    to process: Int32, _ folder: String
  ) throws(MeasurementFailure) -> String {
    let script = """
      cd "$1" && mkfifo control answer && exec 3<>control 4<>answer || exit 1
      perf record -o perf.data -D -1 --control fifo:control,answer -F \(frequency) \\
        -e cpu-clock --call-graph fp -p \(process) >perf.log 2>&1 </dev/null 3>&- 4>&- &
      echo enable >&3
      timeout 20 head -n 1 <&4 >/dev/null || { kill $!; cat perf.log >&2; exit 1; }
      echo $!
      """
    let outcome = ExternalProgram.run(["sh", "-c", script, "sh", folder])
    guard outcome.code == 0 else { throw failure("perf did not begin to sample", outcome) }
    return outcome.firstLine
  }

  /// Ends perf and waits until it has written all.
  private static func detach(_ process: String) {
    _ = ExternalProgram.run(
      ["sh", "-c", "kill -INT \(process) && timeout 20 tail --pid=\(process) -f /dev/null"])
  }

  /// What the profiler has written, with the names that the source has.
  private func stacks(_ folder: String, of program: String) throws(MeasurementFailure)
    -> StackProfile
  {
    let reading =
      switch self {
      case .processor: "perf script -i perf.data -F comm,tid,ip,sym 2>/dev/null"
      case .heap: "jeprof --collapsed --alloc_space \"$2\" heap.*.heap 2>/dev/null"
      }
    let script = """
      cd "$1" || exit 1
      \(reading) >stacks && [ -s stacks ] || exit 1
      if command -v swift >/dev/null; then swift demangle --simplified <stacks; else cat stacks; fi
      """
    let words = ["sh", "-c", script, "sh", folder, program]
    let outcome = ExternalProgram.run(words, limit: .max)
    guard outcome.code == 0 else { throw Self.failure("there are no stacks to read", outcome) }
    return self == .processor
      ? StackProfile(perfScript: outcome.output) : StackProfile(jeprof: outcome.output)
  }

  private static func failure(
    _ finding: String, _ outcome: ExternalProgram.Outcome
  ) -> MeasurementFailure {
    let said = outcome.transcript.split(separator: "\n").last.map { ", and said: \($0)" } ?? ""
    return .unavailable(reason: "profiler", detail: "\(finding)\(said)")
  }
}
