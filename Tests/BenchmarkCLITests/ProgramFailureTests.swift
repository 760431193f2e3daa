// SPDX-License-Identifier: Apache-2.0

import Glibc
import Measurement
import Revisions
import Testing

@testable import BenchmarkCLI

@Suite struct ProgramFailureTests {
  private static func text(_ cause: ProgramFailure.Cause, of command: String = "swift") -> String {
    let failure = ToolFailure(
      RevisionFailure.noProgram(ProgramFailure(command, cause)), option: "--base")
    #expect(failure.code == .internalFault)
    return "\(failure)"
  }

  @Test func saysWhatTheSystemSaysWithTheStepThatFits() {
    let expected = "; expected one that works, to build --base; "
    #expect(
      Self.text(.notStarted(ENOENT)) == "swift: it is not in PATH: No such file or directory"
        + expected + "install it, or mend PATH")
    #expect(
      Self.text(.notStarted(EACCES)) == "swift: it cannot be started: Permission denied" + expected
        + "see `ls -lL` of it in the folders of PATH; mend its permissions, or PATH")
    #expect(
      Self.text(.notStarted(EAGAIN))
        == "swift: it cannot be started: Resource temporarily unavailable" + expected
        + "raise `ulimit -u`, or pids.max of the control group")
    #expect(
      Self.text(.notStarted(ENOMEM)) == "swift: it cannot be started: Cannot allocate memory"
        + expected + "raise `ulimit -v`, or memory.max of the control group")
    #expect(
      Self.text(.notStarted(E2BIG)) == "swift: it cannot be started: Argument list too long"
        + expected + "see errno \(E2BIG) in errno(3)")
  }

  @Test func saysHowAProgramFailedAndWhatItSaid() {
    let expected = "; expected one that works, to build --base; "
    let next = "run it by hand and mend what it names"
    #expect(
      Self.text(.ended(code: 3, said: "no toolchain"), of: "swift --version")
        == "swift --version: it ended with 3 and said: no toolchain" + expected + next)
    #expect(
      Self.text(.ended(code: 137, said: ""), of: "swift --version")
        == "swift --version: signal 9 ended it and said nothing" + expected + next)
  }
}
