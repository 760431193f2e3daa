// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation

/// Runs programs in child processes, on one scheduler after the other, and makes what one of them
/// shows as small as possible.
package struct Campaign: Sendable {
  /// The program that runs a `Series` when it is called with `child`.
  package var executable: String
  package var schedulers: [Tested]
  package var seconds: Double
  package var seed: UInt64
  /// How long a program may take before it hangs.
  package var patience = 5.0
  /// How long one child runs before the next scheduler has its turn.
  package var slice = 5.0
  /// Goes on after a finding until the time is up.
  package var findsAll = false
  /// Makes what is found smaller.
  package var shrinks = true

  package init(executable: String, schedulers: [Tested], seconds: Double, seed: UInt64) {
    self.executable = executable
    self.schedulers = schedulers
    self.seconds = seconds
    self.seed = seed
  }

  /// What a program has shown.
  package struct Finding: Sendable {
    package let seed: UInt64
    package let tested: Tested
    /// Seconds since the campaign began.
    package let after: Double
    /// Programs run until then.
    package let programs: Int
    package let report: String
    /// The seed of the first program of the process that showed it.
    let first: UInt64
    /// The process died of a signal.
    let isCrash: Bool
  }

  /// Runs until something is found or the time is up, and says how it goes; returns all findings.
  package func run(_ say: (String) -> Void) -> [Finding] {
    let begin = MonotonicTime.nanoseconds()
    var elapsed: Double { Double(MonotonicTime.nanoseconds() - begin) * 1e-9 }
    var findings: [Finding] = []
    var coverages = [Coverage](repeating: Coverage(), count: schedulers.count)
    var programs: Int { coverages.reduce(0) { $0 + $1.programs } }
    var next = seed
    var turn = 0
    let slice = min(slice, seconds / Double(schedulers.count))
    // One turn for everybody at least.
    while elapsed < seconds || turn < schedulers.count {
      let index = turn % schedulers.count
      let tested = schedulers[index]
      turn += 1
      let child = child(tested, next, nil, slice, patience)
      let before = next
      next = child.next ?? next
      coverages[index].add(child.coverage)
      guard let report = child.report else { continue }
      let seed = child.seed ?? before
      next = max(next, seed + 1)
      let finding = Finding(
        seed: seed, tested: tested, after: elapsed, programs: programs, report: report,
        first: before, isCrash: child.isCrash)
      findings.append(finding)
      say(
        "found after \(Int(finding.after)) s and \(finding.programs) programs, seed \(seed) on "
          + "\(tested.description):\n\(report)")
      if shrinks { say(shrunk(finding)) }
      if !findsAll { break }
    }
    for (tested, coverage) in zip(schedulers, coverages) {
      say("\(tested.description): \(coverage.programs) programs, \(coverage.steps) steps")
    }
    say(Self.summary(coverages, elapsed))
    return findings
  }

  /// What was covered, in one line.
  private static func summary(_ coverages: [Coverage], _ elapsed: Double) -> String {
    let all = coverages.reduce(into: Coverage()) { $0.add($1) }
    let covered = coverages.count { $0.programs > 0 }
    return "\(all.programs) programs, \(all.steps) steps, \(covered) of \(coverages.count) "
      + "configurations, \(Int(Double(all.programs) / elapsed)) programs a second, "
      + (all.missing.isEmpty
        ? "every kind of step and operation" : "without \(all.missing.joined(separator: ", "))")
  }

  // MARK: Smaller

  /// How many programs before the one that crashed may have destroyed what it met.
  private static let suspects: UInt64 = 16

  /// The smallest program found that still shows something, in words.
  private func shrunk(_ finding: Finding) -> String {
    let tested = finding.tested
    if let text = shrunk(finding.seed, on: tested, seconds: 30) { return text }
    if finding.isCrash {
      for back in 1...Self.suspects where finding.seed >= finding.first + back {
        if let text = shrunk(finding.seed - back, on: tested, seconds: 3) {
          return "seed \(finding.seed - back), \(back) before the crash, alone:\n\(text)"
        }
      }
    }
    let missed = "not seen again within 30 s of seed \(finding.seed) alone; "
    guard child(tested, finding.first, nil, 2 * slice, patience).report != nil else {
      return missed + "timing or an earlier program takes part"
    }
    return missed + "seen again in a row\nagain: RandomProgramsFixture child "
      + "\(tested.name) \(tested.workers) \(finding.first) 30 \(patience) note"
  }

  /// The same of one program; nil when it shows nothing alone in that time.
  private func shrunk(_ seed: UInt64, on tested: Tested, seconds: Double) -> String? {
    let program = Program.of(seed: seed)
    let patience = min(patience, 1)
    func again(_ parts: Set<Int>, _ seconds: Double) -> (report: String, after: Double)? {
      let start = MonotonicTime.nanoseconds()
      let child = child(tested, seed, parts, seconds, patience)
      let after = Double(MonotonicTime.nanoseconds() - start) * 1e-9
      return child.report.map { ($0, after) }
    }
    guard let first = again([], seconds) else { return nil }
    // Long enough to see again what it takes luck to see, short enough to try many.
    let seconds = min(10, max(0.3, 3 * first.after))
    let end = MonotonicTime.nanoseconds() + 60_000_000_000
    let shrinker = Shrinker<String> { program, parts in
      guard program.waitEnds, MonotonicTime.nanoseconds() < end else { return nil }
      return again(parts, seconds)?.report
    }
    let smallest = shrinker.shrink(program, first.report)
    let parts = smallest.parts.sorted().map(String.init).joined(separator: ",")
    return "smallest:\n\(smallest.report)\nagain: RandomProgramsFixture child "
      + "\(tested.name) \(tested.workers) \(seed) 30 \(patience) note \(parts)"
  }

  // MARK: Children

  private struct Outcome {
    var coverage = Coverage()
    var next: UInt64?
    var seed: UInt64?
    /// Nil when nothing was wrong.
    var report: String?
    /// It died of a signal.
    var isCrash = false
  }

  private func child(
    _ tested: Tested, _ seed: UInt64, _ parts: Set<Int>?, _ seconds: Double, _ patience: Double
  ) -> Outcome {
    let process = Process()
    // The number of the program that runs is in the file: what dies of a signal cannot always say
    // so.
    let note = FileManager.default.temporaryDirectory.appendingPathComponent(
      "random-programs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: note) }
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = [
      "child", tested.name, String(tested.workers), String(seed), String(seconds), String(patience),
      note.path,
    ]
    if let parts {
      process.arguments?.append(parts.sorted().map(String.init).joined(separator: ","))
    }
    var environment = ProcessInfo.processInfo.environment
    if environment["SWIFT_BACKTRACE"] == nil { environment["SWIFT_BACKTRACE"] = "enable=no" }
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    do { try process.run() } catch { fatalError("\(executable) cannot be run: \(error)") }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return read(text, process, (try? Data(contentsOf: note)) ?? Data(), parts)
  }

  private func read(_ text: String, _ process: Process, _ note: Data, _ parts: Set<Int>?) -> Outcome
  {
    var outcome = Outcome()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var report: [Substring] = []
    for line in lines {
      let words = line.split(separator: " ")
      if words.first == "next", let coverage = Coverage(words.dropFirst(2).map { $0 }) {
        outcome.coverage = coverage
        outcome.next = UInt64(words[1])
        continue
      }
      // What the library says of early finishes is no finding.
      if !line.isEmpty, !line.hasPrefix("Operations: warning:") { report.append(line) }
    }
    let isDead = process.terminationReason == .uncaughtSignal
    guard isDead || process.terminationStatus != 0 else { return outcome }
    let status =
      isDead
      ? "the process died of signal \(process.terminationStatus)"
      : "the process ended with status \(process.terminationStatus)"
    outcome.isCrash = isDead
    outcome.seed = note.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    if isDead, let seed = outcome.seed {
      report.append("\(Program.of(seed: seed).without(parts ?? []))")
    }
    outcome.report = ([Substring(status)] + report.suffix(120)).joined(separator: "\n")
    return outcome
  }
}
