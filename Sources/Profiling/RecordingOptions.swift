// SPDX-License-Identifier: Apache-2.0

package import Traces

/// What is recorded, and in how much room.
package struct RecordingOptions: Sendable, Equatable {
  /// How much is recorded of each operation.
  package var detail: TraceHeader.Detail
  /// Events that a thread keeps; rounded up to a power of two.
  package var ringEvents: Int
  /// Ends the recording when an operation has been ready for longer than that and has not started;
  /// nil for never.
  package var breakOverNanoseconds: Int64?

  /// Room for some 10 000 operations per thread.
  package static var usualRingEvents: Int { 1 << 16 }
  /// The most that a ring may have: 1.5 GiB per thread.
  package static var mostRingEvents: Int { 1 << 26 }

  package init(
    detail: TraceHeader.Detail = .full, ringEvents: Int = RecordingOptions.usualRingEvents,
    breakOverNanoseconds: Int64? = nil
  ) {
    self.detail = detail
    self.ringEvents = ringEvents
    self.breakOverNanoseconds = breakOverNanoseconds
  }
}

/// Why a recording cannot begin.
package enum RecordingError: Error, Equatable, CustomStringConvertible {
  /// Another one is under way.
  case isRecording
  /// No ring has as many events.
  case ringEvents(Int)
  /// No wait is that short.
  case breakOver(nanoseconds: Int64)
  /// The thread that watches the waits cannot be started.
  case noWatcher(String)

  package var description: String {
    switch self {
    case .isRecording:
      "recording: another one is under way in this process; expected one at a time. End it first."
    case .ringEvents(let count):
      "recording: \(count) events per thread; expected 1 to \(RecordingOptions.mostRingEvents). "
        + "Ask for the number that the header of an earlier recording names."
    case .breakOver(let nanoseconds):
      "recording: it is to end when a wait exceeds \(nanoseconds) ns; expected 1 or more. "
        + "Ask for a longer one, or for none."
    case .noWatcher(let finding):
      "recording: its waits cannot be watched: \(finding)"
    }
  }
}
