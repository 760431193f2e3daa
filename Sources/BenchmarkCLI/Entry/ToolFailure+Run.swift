// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results

extension ToolFailure {
  /// A clock whose time no result could carry.
  init(_ error: ClockError) {
    self.init(
      .internalFault, place: "clock",
      finding: "this machine says that it is \(error.unixSeconds) s after the start of 1970",
      expectation: "a moment from 1970 to 9999", nextStep: "set it, for instance with `date --set`")
  }

  /// A description of the machine that the environment file has no columns for.
  init(_ error: EnvironmentError) {
    self.init(.internalFault, place: "environment file", finding: "\(error)")
  }
}
