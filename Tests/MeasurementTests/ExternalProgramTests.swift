// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Testing

@testable internal import Measurement

@Suite struct ExternalProgramTests {
  @Test func givesCodeAndStreams() {
    let outcome = ExternalProgram.run(["sh", "-c", "echo one; echo two >&2; exit 3"])
    #expect(outcome.code == 3)
    #expect(outcome.output == "one")
    #expect(outcome.transcript.split(separator: "\n").sorted() == ["one", "two"])
    #expect(outcome.firstLine.isEmpty)
    #expect(!outcome.isInterrupted)
  }

  @Test func firstLineOfASuccess() {
    #expect(ExternalProgram.run(["printf", "one\\ntwo\\n"]).firstLine == "one")
  }

  @Test func argumentsAreTakenAsTheyAre() {
    #expect(ExternalProgram.run(["printf", "%s|", "a b", "", "$x", "'"]).output == "a b||$x|'|")
  }

  @Test func programThatCannotBeStartedSaysWhy() throws {
    let file = NSTemporaryDirectory() + "program-\(UUID().uuidString)"
    try "#!/bin/sh\n".write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let long = String(repeating: "x", count: 200_000)
    for (words, error) in [
      (["no-such-program"], ENOENT), ([file], EACCES), (["true", long], E2BIG),
    ] {
      let outcome = ExternalProgram.run(words)
      #expect(outcome.code == 127 && outcome.startError == error, "\(words[0]): \(outcome)")
      #expect(outcome.failure(of: words) == ProgramFailure(words[0], .notStarted(error)))
    }
  }

  @Test func programThatEndsAsIfItWereNotThereWasStarted() {
    let words = ["sh", "-c", "echo why; no-such-program"]
    let outcome = ExternalProgram.run(words)
    #expect(outcome.code == 127 && outcome.startError == nil)
    let command = words.joined(separator: " ")
    #expect(
      outcome.failure(of: words) == ProgramFailure(command, .ended(code: 127, said: "why")))
    #expect(ExternalProgram.run(["true"]).failure(of: ["true"]) == nil)
  }

  @Test func programThatASignalEnds() {
    #expect(ExternalProgram.run(["sh", "-c", "kill -9 $$"]).code == 128 + 9)
  }

  @Test func environmentIsChangedLineByLine() {
    let outcome = ExternalProgram.run(
      ["sh", "-c", "echo $ADDED ${HOME:-none}"], environment: ["ADDED=1", "HOME"])
    #expect(outcome.output == "1 none")
  }

  /// More than a pipe holds, on both streams in turns.
  @Test func longOutputsAreReadWhileItRuns() {
    let script = "for i in 1 2 3 4; do head -c 100000 /dev/zero; head -c 100000 /dev/zero >&2; done"
    let outcome = ExternalProgram.run(["sh", "-c", script])
    #expect(outcome.code == 0)
    #expect(outcome.output.utf8.count == 400_000)
    #expect(outcome.transcript.utf8.count == 800_000)
  }

  @Test func keepsAsMuchOfTheEndAsItIsTold() {
    let script = "echo first; head -c 5000000 /dev/zero; echo; echo last"
    let usual = ExternalProgram.run(["sh", "-c", script])
    #expect(!usual.output.contains("first") && usual.output.hasSuffix("last"))
    let whole = ExternalProgram.run(["sh", "-c", script], limit: .max)
    #expect(whole.output.utf8.count == 5_000_000 + "first\n\nlast".utf8.count)
    #expect(whole.output.hasPrefix("first\n") && whole.output.hasSuffix("last"))
    let short = ExternalProgram.run(["sh", "-c", script], limit: 10)
    #expect(short.output == "…\nlast")
  }

  @Test func inheritsNothingButWhatItIsToldToKeep() throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let kept = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
    defer { close(kept) }
    let list = ["sh", "-c", "ls /proc/$$/fd; echo text >&3"]
    let without = ExternalProgram.run(list)
    #expect(without.output.split(separator: "\n").prefix(3) == ["0", "1", "2"])
    #expect(!without.output.contains("\n3\n"))
    let with = ExternalProgram.run(list, keeping: kept)
    #expect(with.output.contains("2\n3"), "\(with.output)")
    var bytes = [UInt8](repeating: 0, count: 5)
    #expect(unsafe read(ends[0], &bytes, 5) == 5)
    #expect(String(decoding: bytes, as: UTF8.self) == "text\n")
  }

  /// Whoever interrupts it in the moment of its start ends it all the same.
  @Test func interruptBeforeItRunsEndsIt() {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(unsafe write(ends[1], "!", 1) == 1)
    for _ in 0..<10 {
      let outcome = ExternalProgram.run(
        ["sleep", "600"], interrupt: InterruptFlag(descriptor: ends[0]), patience: .seconds(1))
      #expect(outcome.isInterrupted)
      #expect(outcome.code == 128 + SIGINT)
    }
  }

  /// The program raises the flag itself, once it has started what is to be ended with it.
  @Test(arguments: ["", "trap '' INT;"])
  func interruptEndsItAndWhatItStarted(trap: String) {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let kept = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
    defer { for end in ends + [kept] { close(end) } }
    let begun = ContinuousClock.now
    let outcome = ExternalProgram.run(
      // In the place of the shell, which may be about to start it when the signal comes.
      ["sh", "-c", trap + "sleep 600 & echo x >&3; exec sleep 600"], keeping: kept,
      interrupt: InterruptFlag(descriptor: ends[0]), patience: .seconds(2))
    #expect(outcome.isInterrupted)
    #expect(outcome.code == 128 + (trap.isEmpty ? SIGINT : SIGKILL))
    #expect(ContinuousClock.now - begun < .seconds(60))
  }
}
