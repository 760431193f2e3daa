// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
internal import Operations
internal import OperationsDiagnosis
internal import Scheduling
import Synchronization

/// Runs programs in this process, one after the other, until one shows a fault or the time is up.
///
/// The process that watches reads what is printed: `next SEED` and what was covered now and then,
/// and a report before it ends with status 1 for a fault and 3 for a hang. A signal leaves a line
/// with the seed.
package final class Series: Sendable {
  private let tested: Tested
  /// How long a program may take, ns.
  private let patience: UInt64
  private let helpers: [Helper]
  private let watchdog: Watchdog
  /// Open on the file that keeps the seed of the program that runs, for whatever ends the process.
  private let note: Int32
  /// What runs now, for the thread that watches.
  private let current = Locked<(program: Program?, since: UInt64)>((nil, 0))
  private static let programsPerScheduler = 64
  /// What the programs of this process were made of; of the thread that runs them.
  private let coverage = Locked(Coverage())

  package init(_ tested: Tested, patience: Duration, note path: String) {
    self.tested = tested
    note = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
    self.patience = UInt64(patience / .nanoseconds(1))
    // Stops the process itself; a hang is noticed before.
    watchdog = Watchdog(patience: patience * 10)
    helpers = (1...2).map { Helper(number: $0) }
    watch()
  }

  /// Runs the programs of the seeds from `first` on; with `parts`, the first one alone without
  /// these, over and over.
  package func run(from first: UInt64, without parts: Set<Int>?, seconds: Double) {
    DriverThreads.note()
    let end = MonotonicTime.nanoseconds() + UInt64(seconds * 1e9)
    var seed = first
    var told = MonotonicTime.nanoseconds()
    var scheduler = tested.make()
    repeat {
      var program = Program.of(seed: seed)
      if let parts { program = program.without(parts) } else { seed += 1 }
      let count = coverage.withLock { $0.programs }
      if count % Self.programsPerScheduler == Self.programsPerScheduler - 1 {
        if count % 2 == 0 { scheduler.shutDown() }
        scheduler = tested.make()
      }
      run(program, on: scheduler)
      coverage.withLock { $0.note(program) }
      let now = MonotonicTime.nanoseconds()
      if now > told + 500_000_000 {
        told = now
        tell(seed)
      }
    } while MonotonicTime.nanoseconds() < end
    tell(seed)
  }

  private func tell(_ next: UInt64) {
    let coverage = coverage.withLock { $0 }
    print("next \(next) \(coverage.line)")
    fflush(nil)
  }

  private func run(_ program: Program, on scheduler: any Scheduler) {
    var seed = program.seed
    // SAFETY: the bytes of a variable of this frame.
    _ = unsafe pwrite(note, &seed, MemoryLayout<UInt64>.size, 0)
    let now = MonotonicTime.nanoseconds()
    current.withLock { $0 = (program, now) }
    if program.isStepwise { return runStepwise(program, on: scheduler) }
    let deadline = now + patience
    let (run, faults) = take(program, scheduler, until: deadline)
    guard faults.isEmpty, run.faults.isEmpty else {
      stop(program, (run.faults + faults).joined(separator: "\n"))
    }
    if let left = run.leftovers(until: deadline) { stop(program, left) }
    current.withLock { $0.program = nil }
  }

  /// As far as the model knows what must happen after each step.
  private func runStepwise(_ program: Program, on scheduler: any Scheduler) {
    defer { current.withLock { $0.program = nil } }
    guard let script = Script(program, avoidsDefects: false) else { return }
    let hasThreadToBlock = !tested.isInline && tested.workers > 1
    let blocksThread =
      program.plans.contains { $0.kind == .latched }
      || program.allSteps.contains { $0.name == .occupy }
    guard hasThreadToBlock || !blocksThread else { return }
    let family = PackageFamily(name: tested.description, scheduler: scheduler)
    let interpreter = Interpreter(script, on: family, patience: .nanoseconds(Int64(patience)))
    let run = ModelRun(script: script, outcome: interpreter.run(watchdog))
    let differences = run.differences
    var listed = program
    listed.steps = script.steps
    if !differences.isEmpty { stop(listed, differences.joined(separator: "\n")) }
  }

  /// The run and what is known to be wrong before its last references are gone.
  private func take(
    _ program: Program, _ scheduler: any Scheduler, until deadline: UInt64
  ) -> (Run, [String]) {
    let (run, actor) = Run.make(program, on: scheduler, isInline: tested.isInline)
    run.takeSteps(of: 0, actor) {
      for thread in program.others.indices {
        helpers[thread].begin(Begun(run, thread + 1, actor.copy()))
      }
    }
    let isOver = run.bringToEnd(actor, until: deadline) { helpers.allSatisfy(\.isIdle) }
    guard isOver else { hang(program, run.faults) }
    if !run.judge(actor, until: deadline) { hang(program, run.faults) }
    return (run, [])
  }

  // MARK: Stopping

  private func stop(_ program: Program, _ text: String) -> Never {
    print("FAULT seed \(program.seed)\n\(text)\n\(program)")
    fflush(nil)
    _exit(1)
  }

  private func hang(_ program: Program, _ faults: [String] = []) -> Never {
    print("HANG seed \(program.seed)\n\(faults.joined(separator: "\n"))\n\(program)")
    fflush(nil)
    print(OperationQueue.stallReport())
    fflush(nil)
    _exit(3)
  }

  /// What runs, and since when.
  ///
  /// Not inlined into its caller's loop, from which the optimiser takes the read of the lock's
  /// constant pointer out: for ThreadSanitizer every access through that pointer counts as a change
  /// of it.
  @inline(never) private func now() -> (Program?, UInt64) {
    current.withLock { ($0.program, $0.since) }
  }

  /// Notices a call that does not return, which the deadlines of the run itself do not see.
  private func watch() {
    let thread = try? SystemThread.start(name: "watch") { [self] in
      while true {
        usleep(100_000)
        let (program, since) = now()
        if let program, MonotonicTime.nanoseconds() > since + 2 * patience {
          hang(program, ["a call does not return"])
        }
      }
    }
    guard let thread else { fatalError("no thread to watch the programs; free some processes") }
    thread.detach()
  }
}

/// What a further thread of a program is to do.
private final class Begun: @unchecked Sendable {
  let run: Run
  let thread: Int
  /// Handed over once, from the first thread to the further one.
  let actor: Run.Actor
  init(_ run: Run, _ thread: Int, _ actor: Run.Actor) {
    self.run = run
    self.thread = thread
    self.actor = actor
  }
}

/// A thread that takes steps of one program after the other.
private final class Helper: Sendable {
  private let futex = Futex()
  private let work = Locked<Begun?>(nil)
  private let busy = Atomic<Bool>(false)

  init(number: Int) {
    let thread = try? SystemThread.start(name: "thread-\(number)") { [self] in serve() }
    guard let thread else { fatalError("no thread for programs; free some processes") }
    thread.detach()
  }

  var isIdle: Bool { !busy.load(ordering: .sequentiallyConsistent) }

  func begin(_ begun: Begun) {
    busy.store(true, ordering: .sequentiallyConsistent)
    work.withLock { $0 = begun }
    futex.word.value.wrappingAdd(1, ordering: .sequentiallyConsistent)
    futex.wake(1)
  }

  private func serve() {
    DriverThreads.note()
    while true {
      let seen = futex.word.value.load(ordering: .sequentiallyConsistent)
      takeOne()
      _ = futex.wait(while: seen)
    }
  }

  /// Not inlined, as `Series.now()`.
  @inline(never) private func takeOne() {
    let isDone: Bool
    do {
      let begun = work.withLock { work in
        defer { work = nil }
        return work
      }
      isDone = begun != nil
      if let begun { begun.run.takeSteps(of: begun.thread, begun.actor) }
    }
    if isDone { busy.store(false, ordering: .sequentiallyConsistent) }
  }
}
