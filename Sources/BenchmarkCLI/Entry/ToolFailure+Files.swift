// SPDX-License-Identifier: Apache-2.0

internal import Results

extension ToolFailure {
  /// An input file that cannot be read.
  init(reading error: FileError) {
    self.init(
      .malformedInput, place: error.path, finding: "cannot be read: \(error.finding)",
      expectation: error.expectation, nextStep: error.nextStep)
  }

  /// A results file that cannot be read, or is not sound.
  init(_ error: ReadingError) {
    switch error {
    case .file(let error): self.init(reading: error)
    case .content(let error): self.init(error.finding)
    }
  }

  /// What is wrong at one place of an input file.
  init(_ finding: Finding) {
    self.init(
      .malformedInput, place: finding.place, finding: finding.finding,
      expectation: finding.expectation, nextStep: finding.nextStep)
  }

  /// An output file that cannot be written: 64 when it exists, else 73 or 74.
  init(writing error: FileError) {
    let code: ExitCode
    switch error.reason {
    case .alreadyExists:
      self = .usage(
        error.path, "the file exists", expected: "a new file",
        next: "choose another name, or replace it with --force")
      return
    case .notFound, .notPermitted, .isDirectory, .notDirectory, .notRegular, .danglingLink,
      .linkLoop, .nameTooLong:
      code = .cannotCreate
    case .noSpace, .tooLarge, .tooManyOpen, .noMemory, .other: code = .inputOutput
    }
    self.init(
      code, place: error.path, finding: "cannot be written: \(error.finding)",
      expectation: error.expectation, nextStep: error.nextStep)
  }
}
