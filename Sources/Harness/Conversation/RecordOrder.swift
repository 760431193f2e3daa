// SPDX-License-Identifier: Apache-2.0

/// What a child is to record of the next run of its program, and where to.
package struct RecordOrder: Message {
  /// How much is recorded.
  package enum Detail: String, CaseIterable, Sendable {
    /// Ready, start and finish alone.
    case latency
    /// Everything.
    case full
  }

  /// How much is recorded.
  package var detail = Detail.full
  /// Events that a thread keeps.
  package var ringEvents = 1
  /// Ends the recording when an operation has been ready for longer than that; nil for never.
  package var breakOverNanoseconds: Int64?
  /// The file that the recording goes to; empty for none, where the time alone is of interest.
  package var path = ""
  /// The program runs without a recording before, until that has taken this long;
  /// nil for none.
  package var warmupNanoseconds: UInt64?

  package init() {}
  /// See the properties.
  package init(
    detail: Detail, ringEvents: Int, breakOverNanoseconds: Int64? = nil, path: String = "",
    warmupNanoseconds: UInt64? = nil
  ) {
    self.warmupNanoseconds = warmupNanoseconds
    self.detail = detail
    self.ringEvents = ringEvents
    self.breakOverNanoseconds = breakOverNanoseconds
    self.path = path
  }

  package static let word = "record"
  package static let fields: [MessageField<RecordOrder>] = [
    .choice("detail", \.detail), .number("ring-events", \.ringEvents, in: 1 ... .max),
    .number("break-over-ns", \.breakOverNanoseconds, in: 1 ... .max), .text("path", \.path),
    .number("warm-up-ns", \.warmupNanoseconds),
  ]
}
