// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
package import Harness

/// A live child, told step by step what to do: several can be driven in turns, and one can
/// alternate between contestants.
///
/// Every step waits until the child has done it. A step that fails ends the child; when `end` has
/// returned, the child is gone and reaped, and its pipes are closed. Not for several threads at
/// once.
package final class MeasuringChild {
  private enum Ending { case alone, atDeadline, onRequest, rambling }

  /// Who the child said it is.
  package private(set) var identity: ChildIdentity?
  /// Allocator and version that the child proved to have; nil when it did not get that far.
  package private(set) var allocatorProof: String?
  /// Allocations that the child counted where its set-up asks for so many; nil where it asks for
  /// none.
  package private(set) var countedAllocations: Int?

  /// The system's number of the process.
  var process: Int32 { child.pid }

  private let child: shim_child
  private let interrupt: InterruptFlag?
  private var reader = ReportReader()
  private var standardError = TailBuffer(limit: ChildRunner.standardErrorLimit)
  private var resultsAreOpen = true
  private var errorsAreOpen = true
  private var chunk = [UInt8](repeating: 0, count: 65_536)
  private var stopwatch: Stopwatch
  private var deadline: Duration
  private var exit: shim_exit?

  /// Takes over a child that was just started.
  init(_ child: shim_child, interrupt: InterruptFlag?, deadline: Duration) {
    self.child = child
    self.interrupt = interrupt
    self.deadline = deadline
    stopwatch = Stopwatch(limit: deadline)
  }

  deinit { end() }

  /// Gives the steps from here on so much time together; time during which this process itself did
  /// not run does not count.
  package func allow(_ deadline: Duration) {
    self.deadline = deadline
    stopwatch = Stopwatch(limit: deadline)
  }

  /// Waits until the child can be told what to do.
  package func awaitReady() throws(MeasurementFailure) {
    guard case .ready(let ready) = try report() else { throw rambling("no proof of the allocator") }
    allocatorProof = ready.allocator
    countedAllocations = ready.countedAllocations
  }

  /// Makes a contestant and changes to it; contestants are numbered from 0 in the order of making.
  ///
  /// - Returns: operations of one run of its program.
  @discardableResult
  package func prepare(_ assignment: Assignment) throws(MeasurementFailure) -> Int {
    tell(.prepare(assignment))
    guard case .prepared(let prepared) = try report() else {
      throw rambling("no word of what was prepared")
    }
    try finish(.prepare(assignment))
    return prepared.operations
  }

  /// Changes to the contestant of that number, once the threads of all of them sleep.
  package func select(_ contestant: Int) throws(MeasurementFailure) {
    try perform(.select(Selection(contestant: contestant)))
  }

  /// Fixes how often the current contestant's program runs for one sample.
  package func freeze(runs: Int) throws(MeasurementFailure) {
    try perform(.freeze(Freezing(runs: runs)))
  }

  /// Runs the current contestant; adds its samples to the outcome as they come, also those of a
  /// step that fails.
  package func iterate(
    _ iterations: Iterations, into outcome: inout MeasurementOutcome
  ) throws(MeasurementFailure) {
    try perform(.iterate(iterations), into: &outcome)
  }

  /// A command that is answered by samples, then `done`.
  private func perform(
    _ command: Command, into outcome: inout MeasurementOutcome
  ) throws(MeasurementFailure) {
    tell(command)
    while true {
      switch try report() {
      case .done(let done) where done.command == command.word: return
      case let told:
        if let complaint = outcome.take(told) { throw rambling(complaint) }
      }
    }
  }

  /// Runs the current contestant once under a recording; adds its sample to the outcome.
  package func record(
    _ order: RecordOrder, into outcome: inout MeasurementOutcome
  ) throws(MeasurementFailure) {
    try perform(.record(order), into: &outcome)
  }

  /// Has everything shut down and waits for the end.
  package func stop() throws(MeasurementFailure) -> EndReport {
    tell(.stop)
    guard case .end(let last) = try report() else { throw rambling("it ended before 'end'") }
    if let ending = listen(until: { false }), ending != .alone { throw fail(ending) }
    reap()
    if let more = reader.next() { throw rambling("'\(more.line.prefix(80))' behind 'end'") }
    let isClean = exit.map { $0.state == 1 && $0.number == 0 } ?? false
    guard isClean, reader.complaint == nil, interrupt?.isRaised != true else { throw fail(.alone) }
    return last
  }

  /// Ends the child if it is still there, and cleans up; does nothing the second time.
  package func end() {
    guard exit == nil else { return }
    _ = kill(child.pid, SIGKILL)
    reap()
  }

  // MARK: - Steps

  /// A command that is answered by `done` alone.
  private func perform(_ command: Command) throws(MeasurementFailure) {
    tell(command)
    try finish(command)
  }

  private func finish(_ command: Command) throws(MeasurementFailure) {
    guard case .done(let done) = try report(), done.command == command.word else {
      throw rambling("no 'done' behind '\(command.word)'")
    }
  }

  private func tell(_ command: Command) {
    let bytes = Array((command.line + "\n").utf8)
    // A child that hears nothing more has said why, or its end says it.
    // SAFETY: the array lives through the call and holds so many bytes.
    _ = unsafe shim_tell(child.commands, bytes, UInt64(bytes.count))
  }

  /// The next report that is no failure.
  private func report() throws(MeasurementFailure) -> ChildReport {
    var next = reader.next()
    if next == nil {
      let ending = listen {
        next = reader.next()
        return next != nil || reader.complaint != nil
      }
      if ending == .alone, next == nil {
        // What it had written is in the pipes still.
        drain()
        next = reader.next()
      }
      if next == nil { throw fail(ending ?? .rambling) }
    }
    identity = reader.identity
    guard let next else { throw fail(.rambling) }
    guard case .failed(let failure) = next else { return next }
    throw self.failure(failure)
  }

  /// The failure that the child knows, once it has ended by itself.
  private func failure(_ failure: ChildFailure) -> MeasurementFailure {
    if let ending = listen(until: { false }), ending != .alone { return fail(ending) }
    reap()
    if interrupt?.isRaised == true { return .interrupted }
    return MeasurementFailure(failure, standardError: standardError.text)
  }

  private func rambling(_ finding: String) -> MeasurementFailure {
    if reader.complaint != nil { return fail(.rambling) }
    end()
    return .crashed(.incomprehensible(finding), standardError: standardError.text)
  }

  // MARK: - Listening

  /// Listens until `isEnough` says so after something has come, which gives nil, or the child ends,
  /// or has to be ended.
  private func listen(until isEnough: () -> Bool) -> Ending? {
    while true {
      let wait = stopwatch.nextWaitMilliseconds()
      guard wait > 0 else { return .atDeadline }
      let heard = shim_hear(
        resultsAreOpen ? child.results : -1, errorsAreOpen ? child.errors : -1, child.liveness,
        interrupt?.descriptor ?? -1, wait)
      if heard < 0 { return .rambling }
      if heard & Int32(SHIM_HEARD_RESULTS) != 0 { readResults() }
      if heard & Int32(SHIM_HEARD_ERRORS) != 0 { readErrors() }
      if heard & Int32(SHIM_HEARD_INTERRUPT) != 0 { return .onRequest }
      if isEnough() { return nil }
      if heard & Int32(SHIM_HEARD_DEATH) != 0 { return .alone }
    }
  }

  /// Reads one chunk; false when there was none, or no more will come.
  @discardableResult private func readResults() -> Bool {
    // SAFETY: the array has room for `count` bytes and lives through the call.
    let count = unsafe shim_read_available(child.results, &chunk, UInt64(chunk.count))
    if count > 0 { reader.feed(chunk.prefix(Int(count))) }
    if count == 0 { resultsAreOpen = false }
    return count > 0
  }

  /// Reads one chunk; false when there was none, or no more will come.
  @discardableResult private func readErrors() -> Bool {
    // SAFETY: as above.
    let count = unsafe shim_read_available(child.errors, &chunk, UInt64(chunk.count))
    if count > 0 { standardError.append(chunk.prefix(Int(count))) }
    if count == 0 { errorsAreOpen = false }
    return count > 0
  }

  /// Reads what a dead child left behind; bounded, since something that it started may hold a pipe
  /// open and write.
  private func drain() {
    for _ in 0..<64 where resultsAreOpen { if !readResults() { break } }
    for _ in 0..<64 where errorsAreOpen { if !readErrors() { break } }
  }

  // MARK: - The end

  /// Reaps the child, which has ended or was killed, reads what it left and closes the pipes.
  private func reap() {
    guard exit == nil else { return }
    // Blocks for moments only: the child has closed everything, as the kernel does on its way out,
    // or was killed.
    exit = shim_reap(child.pid, 1)
    drain()
    for descriptor in [child.results, child.errors, child.liveness, child.commands] {
      close(descriptor)
    }
    resultsAreOpen = false
    errorsAreOpen = false
  }

  /// Ends the child and says why it has no figure.
  private func fail(_ ending: Ending) -> MeasurementFailure {
    if ending == .alone { reap() } else { end() }
    let output = standardError.text
    switch ending {
    case .onRequest: return .interrupted
    case .atDeadline: return .hung(deadline: deadline, standardError: output)
    case .alone, .rambling: break
    }
    // A signal to the whole group may have reached both; then the child's end is no crash.
    if interrupt?.isRaised == true { return .interrupted }
    if let failure = olderProgram(output) { return failure }
    if let complaint = reader.complaint {
      return .crashed(.incomprehensible(complaint), standardError: output)
    }
    if let exit, exit.state == 2 {
      return .crashed(.signalled(exit.number), standardError: output)
    }
    if let exit, exit.state == 1, exit.number != 0 {
      return .crashed(.exited(exit.number), standardError: output)
    }
    return .crashed(.incomprehensible("it ended before 'end'"), standardError: output)
  }

  /// A program that speaks another version of the conversation, or one from before there was one:
  /// that takes the first line for an assignment, and says that its hidden verb is for children.
  private func olderProgram(_ output: String) -> MeasurementFailure? {
    if case .version(let found)? = reader.refusal { return .otherConversation(version: found) }
    guard reader.identity == nil, let exit, exit.state == 1, exit.number == 64,
      output.hasPrefix("bench \(measureChildVerb): ")
    else { return nil }
    return .otherConversation(version: nil)
  }
}
