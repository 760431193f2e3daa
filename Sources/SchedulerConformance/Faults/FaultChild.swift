// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Scheduling

/// Faults stop the process, so each is committed in a process of its own: the program started
/// again, which an environment variable tells what to do.
enum FaultChild {
  /// Holds `run name / workers / check name` in a child.
  private static let variable = "SCHEDULER_CONFORMANCE_FAULT"
  /// Ends a child whose fault went unnoticed.
  private static let unnoticed: Int32 = 3
  /// How fatalError ends a process, depending on the processor.
  private static let signals: [Int32] = [SIGILL, SIGTRAP]
  /// As much of the child's output is looked at.
  private static let outputLimit = 1 << 16

  // MARK: The child

  /// Commits the fault that the environment names, and ends the process; returns when it names none
  /// of this run.
  static func commitFault(
    _ options: SchedulerConformance.Options,
    _ makeScheduler: @escaping @Sendable (Int) -> any Scheduler
  ) {
    // SAFETY: the text of a variable stays while nobody changes the environment; it is copied at
    // once.
    guard let value = unsafe getenv(variable) else { return }
    let parts = unsafe String(cString: value).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts.dropLast(2).joined(separator: "/") == options.name,
      let workers = Int(parts[parts.count - 2]), let name = parts.last,
      let check = Check.faults.first(where: { $0.name == name })
    else { return }
    // Ends with its parent: whatever the fault leads to, no process is left behind.
    guard shim_child_begin() == 0 else { return }
    let trial = Trial(
      workers: makeScheduler(workers).workerCount, timeLimit: options.timeLimit
    ) { makeScheduler(workers) }
    do throws(SchedulerConformance.Failure) { try check.body(trial) } catch {
      _ = unsafe shim_write_text(2, "\(error)\n")
    }
    exit(unnoticed)
  }

  // MARK: The parent

  /// Starts the program again and looks at how it ends.
  static func run(
    _ check: Check, workers: Int, _ options: SchedulerConformance.Options, _ progress: Progress?
  ) -> CheckResult.Outcome {
    let program = options.faultProgram
    let order = "\(options.name)/\(workers)/\(check.name)"
    // The runtime's own report of a crash takes seconds and can hang.
    let changes = "\(variable)=\(order)\nSWIFT_BACKTRACE=enable=no"
    shim_keep_zombies()
    let arguments = program.arguments
    let first = arguments.first
    let second = arguments.count > 1 ? arguments[1] : nil
    // SAFETY: the texts live through the call, which copies what it keeps.
    let child = unsafe shim_spawn(program.path, program.path, first, second, changes)
    guard child.error == 0 else {
      return .failed([failure("\(program.path) to start", "error \(child.error)")])
    }
    var output: [UInt8] = []
    let hasEnded = listen(child, until: options.timeLimit, progress, &output)
    if !hasEnded { _ = kill(child.pid, SIGKILL) }
    let end = shim_reap(child.pid, 1)
    // What it had written is in the pipe still.
    while read(child, &output) {}
    close(child.results)
    close(child.errors)
    close(child.liveness)
    guard hasEnded else {
      return .hung(
        options.timeLimit, waitingFor: ["the process to be stopped by the fault"], failures: [])
    }
    return judge(check, end, String(decoding: output, as: UTF8.self))
  }

  /// Collects what the child writes until it is gone; false when it is still there at the end of
  /// the time.
  private static func listen(
    _ child: shim_child, until limit: Duration, _ progress: Progress?, _ output: inout [UInt8]
  ) -> Bool {
    SchedulerConformance.poll(for: limit) {
      progress?.remind(["the process to be stopped by the fault"])
      let heard = shim_hear(-1, child.errors, child.liveness, -1, 20)
      if heard & Int32(SHIM_HEARD_ERRORS) != 0 { _ = read(child, &output) }
      return heard & Int32(SHIM_HEARD_DEATH) != 0
    }
  }

  /// Takes what is there; false when there was nothing.
  private static func read(_ child: shim_child, _ output: inout [UInt8]) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    // SAFETY: the array has room for `count` bytes and lives through the call.
    let count = unsafe shim_read_available(child.errors, &chunk, UInt64(chunk.count))
    guard count > 0, output.count < outputLimit else { return false }
    output += chunk.prefix(Int(count))
    return true
  }

  private static func judge(_ check: Check, _ end: shim_exit, _ output: String)
    -> CheckResult.Outcome
  {
    let said = output.split(separator: "\n").last { $0.contains("Fatal error") } ?? "nothing"
    guard end.state == 2, signals.contains(end.number) else {
      let found =
        end.state == 1 && end.number == unnoticed
        ? "that it went on" : end.state == 2 ? "signal \(end.number)" : "exit code \(end.number)"
      return .failed([failure("the fault to stop the process", "\(found); it said: \(said)")])
    }
    let missing = (check.message ?? []).filter { !output.contains($0) }
    guard missing.isEmpty else {
      let texts = missing.map { "'\($0)'" }.joined(separator: " and ")
      return .failed([failure("the message to contain \(texts)", "\(said)")])
    }
    return .passed
  }

  private static func failure(_ expected: String, _ found: String) -> SchedulerConformance.Failure {
    SchedulerConformance.Failure(expected: expected, found: found, file: #filePath, line: #line)
  }
}
