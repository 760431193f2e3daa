// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Machine
internal import Measurement
internal import Testing

/// A child that says as much of its conversation as a test wants, and then ends in some way.
struct DyingChild {
  /// What it does after its last word.
  enum Ending: String, CaseIterable, Codable {
    case exits = "exit 0"
    case fails = "exit 7"
    case isKilled = "kill -9 $$"
    case crashes = "kill -11 $$"
    /// Says nothing more, and goes on.
    case closesAndStays = "exec 3>&- 2>&-; exec sleep 60"
    /// Leaves somebody behind who holds its pipes open.
    case leavesAnHeir = "sleep 1 & kill -9 $$"
  }

  /// Every stage of a conversation, one line each.
  static let lines = [
    "hello version=1 swift=6.3 optimization=-O sanitizer=none", "ready allocator=glibc%202.36",
    "prepared contestant=0 operations=10", "done command=prepare", sample(10),
    "series metric=latency ns=1,2,3", sample(11), "value metric=efficiency value=0.5",
    "done command=iterate", "end peak-rss-bytes=4096",
  ]

  private static func sample(_ nanoseconds: Int) -> String {
    "sample build-ns=\(nanoseconds) run-ns=\(nanoseconds) release-ns=\(nanoseconds) cpu-ns=25 "
      + "voluntary-switches=0 involuntary-switches=0 operations=10"
  }

  static let conversation = lines.map { $0 + "\n" }.joined()

  /// What comes of a child that says the first `count` bytes.
  static func outcome(
    saying count: Int, then ending: Ending, deadline: Duration = .seconds(20)
  ) throws -> MeasurementOutcome {
    let path = Fixture.temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let said = String(conversation.prefix(count)).replacing("%", with: "%%")
      .replacing("\n", with: "\\n")
    try "#!/bin/sh\nprintf '\(said)' >&3\n\(ending.rawValue)\n"
      .write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    while true {
      let outcome = ChildRunner(executable: path).run(
        Fixture.assignment("empty"), deadline: deadline, allocator: .system)
      // Another test that starts a process while the file is written has it open for a moment.
      guard case .unavailable(reason: "spawn", detail: let detail)? = outcome.failure,
        detail.contains("busy")
      else { return outcome }
      usleep(1_000)
    }
  }
}

@Suite("A child that dies in the middle of its conversation") struct ChildDeathTests {
  /// Open descriptors of this process.
  private static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
  }

  /// Whether this process has no child that somebody would have to wait for.
  private static var hasNoChild: Bool {
    waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD
  }

  // What a process has of descriptors and children is asked in a process of its own: other tests
  // of this one have theirs.

  @Test(arguments: [DyingChild.Ending.exits, .fails, .isKilled])
  func isACrashAfterWhateverByte(_ ending: DyingChild.Ending) async {
    await #expect(processExitsWith: .success) { [ending] in
      let whole = DyingChild.conversation.count
      // What is opened once and stays is open behind the first.
      _ = try DyingChild.outcome(saying: 0, then: ending)
      let before = Self.descriptors
      for count in 0...whole {
        let outcome = try DyingChild.outcome(saying: count, then: ending)
        if count == whole, ending == .exits {
          #expect(outcome.failure == nil)
          #expect(outcome.iterations.count == 2)
        } else {
          #expect(outcome.failure?.qualityWord == "crashed", "after \(count) of \(whole) bytes")
        }
      }
      #expect(Self.descriptors == before, "a pipe is left open")
      #expect(Self.hasNoChild, "a zombie is left")
    }
  }

  @Test(arguments: DyingChild.Ending.allCases)
  func isACrashAfterWhateverLine(_ ending: DyingChild.Ending) async {
    await #expect(processExitsWith: .success) { [ending] in
      for lines in 0..<DyingChild.lines.count {
        let count = DyingChild.lines[..<lines].reduce(0) { $0 + $1.count + 1 }
        // One that stays has to be killed at its deadline; the others must not need it.
        let stays = ending == .closesAndStays
        let outcome = try DyingChild.outcome(
          saying: count, then: ending, deadline: stays ? .milliseconds(100) : .seconds(20))
        #expect(
          outcome.failure?.qualityWord == (stays ? "hung" : "crashed"), "after \(lines) lines")
      }
      #expect(Self.hasNoChild, "a zombie is left")
    }
  }

  @Test func theSignalIsNamedAlsoAfterTheLastWord() throws {
    let whole = DyingChild.conversation.count
    #expect(
      try DyingChild.outcome(saying: whole, then: .crashes).failure
        == .crashed(.signalled(SIGSEGV), standardError: ""))
  }

  /// Runs the fixture under a limit of the shell, and returns what it prints.
  private func run(_ verb: String, under limit: String) throws -> String {
    let assignment = Fixture.assignment("empty")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "\(limit); exec \"$0\" \(verb) \"$1\" system", Fixture.path, assignment.line,
    ]
    process.standardOutput = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
  }

  @Test(arguments: [10, 11, 13, 14]) func tooFewDescriptorsAreNamedWithWhatToRaise(count: Int)
    throws
  {
    let text = try run("orchestrate", under: "ulimit -n \(count)")
    #expect(text.contains("Too many open files"), "\(text)")
    #expect(text.contains("ulimit -n 256"))
  }

  @Test func aShortageIsFoundBeforeTheFirstChild() throws {
    #expect(Shortage.find(workers: 2) == nil)
    for (limit, remedy) in [("ulimit -n 12", "ulimit -n 256"), ("ulimit -v 250000", "ulimit -v")] {
      let text = try run("shortage", under: limit)
      #expect(text.contains("expected") && text.contains(remedy), "\(limit): \(text)")
    }
  }
}
