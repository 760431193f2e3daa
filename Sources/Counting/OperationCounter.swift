// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import Harness
internal import Machine
package import Measurement
internal import Results

/// Counts what an operation costs, in children under callgrind.
///
/// A count is the difference of two processes, of which one runs `moreIterations` more than the
/// other, so that whatever happens once is in neither. What differs by chance is turned off: the
/// seeds of hashes, and that jemalloc gives memory back by the clock. Any thread; a child at a
/// time.
package struct OperationCounter {
  /// Timed iterations by which the two processes of a repetition differ.
  package static let moreIterations = 4
  /// Longest time that one process may take.
  package static let deadline = Duration.seconds(600)

  /// What one repetition has counted, per operation.
  package struct Repetition: Sendable {
    /// Instructions.
    package let instructions: Double
    /// Atomic read-modify-writes.
    package let readModifyWrites: Double
    /// Calls of an allocation function.
    package let allocations: Double
    /// Instructions by function, without those of functions that it calls.
    package let functions: [String: Double]
    /// Operations behind each figure.
    package let operations: Int
    /// What the counts depend on besides the source.
    package let toolchain: String
  }

  private let tools: CountingTools
  private let executable: String
  private let scratch: ScratchFolder
  private let interrupt: InterruptFlag?

  /// - Parameters:
  ///   - tools: valgrind.
  ///   - executable: the program whose children are counted, without debug information.
  ///   - scratch: where callgrind writes.
  ///   - interrupt: ends a child when it is raised.
  package init(
    tools: CountingTools, executable: String, scratch: ScratchFolder, interrupt: InterruptFlag?
  ) {
    self.tools = tools
    self.executable = executable
    self.scratch = scratch
    self.interrupt = interrupt
  }

  /// Counts once; seconds.
  package func count(_ assignment: Assignment) throws(MeasurementFailure) -> Repetition {
    let few = try run(assignment, iterations: 1)
    let many = try run(assignment, iterations: 1 + Self.moreIterations)
    let operations = many.operations * Self.moreIterations
    func per(_ less: Int, _ more: Int) -> Double { Double(more - less) / Double(operations) }
    var functions: [String: Double] = [:]
    for (name, more) in many.profile.functions {
      let change = per(few.profile.functions[name] ?? 0, more)
      if change != 0 { functions[name] = change }
    }
    let (less, more) = (few.profile.total, many.profile.total)
    let instructions = per(less.instructions, more.instructions)
    guard instructions > 0 else {
      throw .crashed(
        .incomprehensible(
          "\(1 + Self.moreIterations) iterations took no more instructions than one"),
        standardError: "")
    }
    return Repetition(
      instructions: instructions,
      readModifyWrites: max(0, per(less.readModifyWrites, more.readModifyWrites)),
      allocations: max(0, per(few.profile.allocations, many.profile.allocations)),
      functions: functions, operations: operations, toolchain: many.toolchain)
  }

  /// What one process told and callgrind wrote of it.
  private struct Run {
    let profile: CallgrindProfile
    let operations: Int
    let toolchain: String
  }

  private func run(
    _ assignment: Assignment, iterations: Int
  ) throws(MeasurementFailure) -> Run {
    let output = scratch.file("callgrind.out")
    File.remove(output)
    let runner = ChildRunner(executable: executable, wrapper: wrapper(output), interrupt: interrupt)
    let child = try runner.start(
      ChildSetup(allocator: assignment.allocator), deadline: Self.deadline)
    defer { child.end() }
    try child.awaitReady()
    let operations = try child.prepare(assignment)
    var outcome = MeasurementOutcome()
    try child.iterate(
      Iterations(warmups: 1, least: iterations, most: iterations), into: &outcome)
    _ = try child.stop()
    do {
      return Run(
        profile: try CallgrindProfile(try File.read(output)), operations: operations,
        toolchain: toolchain(child))
    } catch {
      throw .crashed(.incomprehensible("callgrind's file: \(error)"), standardError: "")
    }
  }

  private func wrapper(_ output: String) -> ChildWrapper {
    ChildWrapper(
      path: tools.valgrind,
      arguments: [
        "-q", "--tool=callgrind", "--collect-bus=yes", "--callgrind-out-file=\(output)",
        // Without it a thread that spins may keep the one that it waits for from running.
        "--fair-sched=yes",
        // Its pipes would be left behind where the child is killed.
        "--vgdb=no",
      ],
      environment: [
        "SWIFT_DETERMINISTIC_HASHING=1", "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1",
      ])
  }

  /// Compiler, allocator, C library, valgrind and processor: the C library chooses its loops by the
  /// last one.
  private func toolchain(_ child: MeasuringChild) -> String {
    var library = [CChar](repeating: 0, count: 64)
    // SAFETY: the array has room for `count` characters, which the call terminates.
    unsafe shim_c_library(&library, UInt64(library.count))
    let text = library.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return [
      "Swift \(child.identity?.swiftVersion ?? "?")", child.allocatorProof ?? "?",
      String(decoding: text, as: UTF8.self), "valgrind \(tools.version)",
      MachineFacts.read().processor ?? "unknown processor",
    ].joined(separator: "; ")
  }
}
