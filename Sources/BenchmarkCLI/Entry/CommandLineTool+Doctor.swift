// SPDX-License-Identifier: Apache-2.0

internal import Harness

extension CommandLineTool {
  /// `bench doctor`: what about this machine makes figures doubtful.
  func doctor(_ parsed: ParsedArguments) -> ExitCode {
    .success
  }
}
