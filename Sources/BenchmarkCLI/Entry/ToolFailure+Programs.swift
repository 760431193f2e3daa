// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
internal import Measurement

extension ToolFailure {
  /// A program of the system that could not be started, or failed.
  ///
  /// - Parameters:
  ///   - absent: how the process ends where there is no such program; 70 for all else.
  ///   - expectation: what is needed.
  ///   - install: how the program is come by.
  init(
    _ failure: ProgramFailure, absent: ExitCode, expectation: String, install: String
  ) {
    let name = failure.command
    switch failure.cause {
    case .notStarted(ENOENT):
      self.init(
        absent, place: name, finding: "it is not in PATH: \(errorText(ENOENT))",
        expectation: expectation, nextStep: install)
    case .notStarted(let error):
      let next =
        switch error {
        case EACCES, EPERM, ENOEXEC:
          "see `ls -lL` of it in the folders of PATH; mend its permissions, or PATH"
        default: Shortage.limit(for: error) ?? "see errno \(error) in errno(3)"
        }
      self.init(
        .internalFault, place: name, finding: "it cannot be started: \(errorText(error))",
        expectation: expectation, nextStep: next)
    case .ended(let code, let said):
      let how = code > 128 ? "signal \(code - 128) ended it" : "it ended with \(code)"
      self.init(
        .internalFault, place: name,
        finding: said.isEmpty ? "\(how) and said nothing" : "\(how) and said: \(said)",
        expectation: expectation, nextStep: "run it by hand and mend what it names")
    }
  }
}
