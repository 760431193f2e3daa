// SPDX-License-Identifier: Apache-2.0

/// The columns of a history file, in order; writer, reader and documentation come from here.
package enum HistoryColumn: String, CaseIterable, Sendable {
  case added
  case committed
  case commit
  case branch
  case machineID = "machine_id"
  case suite
  case benchmark
  case params
  case scheduler
  case allocator
  case metric
  case stat
  case ratio
  case ciLow = "ci_low"
  case ciHigh = "ci_high"
  case ciLevel = "ci_level"
  case pairs
  case value
  case reference
  case runID = "run_id"

  /// The first line of every history file, without its line feed.
  package static var header: String { allCases.map(\.rawValue).joined(separator: ",") }

  /// The position from the left, counted from 0.
  var index: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}
