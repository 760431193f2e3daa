// SPDX-License-Identifier: Apache-2.0

/// What a child tells its orchestrator, after its first line.
package enum ChildReport: Equatable, Sendable {
  /// The allocator is proven; commands are heard.
  case ready(ReadyReport)
  /// A contestant is made.
  case prepared(PreparedReport)
  /// One sample.
  case sample(IterationSample)
  /// Samples of a metric that has many in a run.
  case series(SeriesReport)
  /// A value of another metric.
  case value(ValueReport)
  /// A metric that has no value here.
  case missing(MissingReport)
  /// The command is done.
  case done(DoneReport)
  /// The child cannot go on, for a reason that it knows.
  case failed(ChildFailure)
  /// The last line: everything is shut down.
  case end(EndReport)

  /// Reads a report's line.
  package init(text: String) throws(MessageError) {
    let line = try MessageLine(text: text)
    switch line.word {
    case ReadyReport.word: self = .ready(try ReadyReport(line))
    case PreparedReport.word: self = .prepared(try PreparedReport(line))
    case IterationSample.word: self = .sample(try IterationSample(line))
    case SeriesReport.word: self = .series(try SeriesReport(line))
    case ValueReport.word: self = .value(try ValueReport(line))
    case MissingReport.word: self = .missing(try MissingReport(line))
    case DoneReport.word: self = .done(try DoneReport(line))
    case ChildFailure.word: self = .failed(try ChildFailure(line))
    case EndReport.word: self = .end(try EndReport(line))
    default:
      throw MessageError(
        "unknown report '\(MessageLine.shown(line.word[...]))'",
        expected: [
          ReadyReport.word, PreparedReport.word, IterationSample.word, SeriesReport.word,
          ValueReport.word, MissingReport.word, DoneReport.word, ChildFailure.word, EndReport.word,
        ].joined(separator: ", "))
    }
  }

  /// The report as one line, without its line feed.
  package var line: String {
    switch self {
    case .ready(let message): message.line
    case .prepared(let message): message.line
    case .sample(let message): message.line
    case .series(let message): message.line
    case .value(let message): message.line
    case .missing(let message): message.line
    case .done(let message): message.line
    case .failed(let message): message.line
    case .end(let message): message.line
    }
  }
}

/// The child has the allocator that it was to have.
package struct ReadyReport: Message {
  /// Allocator and version, as the child proved it.
  package var allocator = ""
  /// Allocations that it counted where the set-up asks for so many; nil where it asks for none.
  package var countedAllocations: Int?

  package init() {}
  /// A child with that allocator, which counted so many allocations.
  package init(allocator: String, countedAllocations: Int? = nil) {
    self.allocator = allocator
    self.countedAllocations = countedAllocations
  }

  package static let word = "ready"
  package static let fields: [MessageField<ReadyReport>] = [
    .text("allocator", \.allocator),
    .number("counted-allocations", \.countedAllocations, in: 0 ... .max),
  ]
}

/// A contestant is made.
package struct PreparedReport: Message {
  /// Its number.
  package var contestant = 0
  /// Operations of one run of its program.
  package var operations = 1

  package init() {}
  /// See the properties.
  package init(contestant: Int, operations: Int) {
    self.contestant = contestant
    self.operations = operations
  }

  package static let word = "prepared"
  package static let fields: [MessageField<PreparedReport>] = [
    .number("contestant", \.contestant, in: 0 ... .max),
    .number("operations", \.operations, in: 1 ... .max),
  ]
}

extension IterationSample: Message {
  package init() {
    self.init(
      buildNanoseconds: 0, runNanoseconds: 0, releaseNanoseconds: 0, cpuNanoseconds: 0,
      voluntarySwitches: 0, involuntarySwitches: 0, operations: 1)
  }

  package static let word = "sample"
  package static let fields: [MessageField<IterationSample>] = [
    .number("build-ns", \.buildNanoseconds), .number("run-ns", \.runNanoseconds),
    .number("release-ns", \.releaseNanoseconds), .number("cpu-ns", \.cpuNanoseconds),
    .number("voluntary-switches", \.voluntarySwitches),
    .number("involuntary-switches", \.involuntarySwitches),
    .number("operations", \.operations, in: 1 ... .max),
  ]
}

/// Samples of a metric that has many in a run.
package struct SeriesReport: Message {
  /// The metric's registry name.
  package var metric = ""
  /// Nanoseconds, at least one.
  package var values: [UInt64] = []

  package init() {}
  /// See the properties.
  package init(metric: String, values: [UInt64]) {
    self.metric = metric
    self.values = values
  }

  package static let word = "series"
  package static let fields: [MessageField<SeriesReport>] = [
    .text("metric", \.metric), .numbers("ns", \.values),
  ]
}

/// A value of a metric that some workloads report.
package struct ValueReport: Message {
  /// The metric's registry name.
  package var metric = ""
  /// Its value in the unit of the registry; finite.
  package var value = 0.0

  package init() {}
  /// See the properties.
  package init(metric: String, value: Double) {
    self.metric = metric
    self.value = value
  }

  package static let word = "value"
  package static let fields: [MessageField<ValueReport>] = [
    .text("metric", \.metric), .decimal("value", \.value),
  ]
}

/// A metric that was asked for and has no value here.
///
/// Told only where `iterate` asks for such metrics, so that older orchestrators never hear it.
package struct MissingReport: Message {
  /// The metric's registry name.
  package var metric = ""
  /// A word for the `quality` column.
  package var reason = ""

  package init() {}
  /// See the properties.
  package init(metric: String, reason: String) {
    self.metric = metric
    self.reason = reason
  }

  package static let word = "missing"
  package static let fields: [MessageField<MissingReport>] = [
    .text("metric", \.metric), .text("reason", \.reason),
  ]
}

/// A command is done.
package struct DoneReport: Message {
  /// The command's first word.
  package var command = ""

  package init() {}
  /// The command with that word.
  package init(command: String) { self.command = command }

  package static let word = "done"
  package static let fields: [MessageField<DoneReport>] = [.text("command", \.command)]
}

/// What a child can say of its own failure; a crash and a hang it cannot.
package struct ChildFailure: Message, Error {
  /// What went wrong.
  package enum Kind: String, CaseIterable, Sendable {
    /// A run computed something else than the serial reference.
    case wrongAnswer = "wrong-answer"
    /// It cannot be measured here.
    case unavailable
    /// A command was not understood, or does not fit.
    case misunderstood
  }

  /// What went wrong.
  package var kind = Kind.unavailable
  /// A word for the `quality` column; empty for a wrong answer and a misunderstanding.
  package var reason = ""
  /// The whole story.
  package var detail = ""

  package init() {}
  /// See the properties.
  package init(_ kind: Kind, reason: String = "", detail: String) {
    self.kind = kind
    self.reason = reason
    self.detail = detail
  }

  /// It cannot be measured here.
  static func unavailable(_ reason: String, _ detail: String) -> ChildFailure {
    ChildFailure(.unavailable, reason: reason, detail: detail)
  }

  package static let word = "failed"
  package static let fields: [MessageField<ChildFailure>] = [
    .choice("kind", \.kind),
    .text("reason", \.reason), .text("detail", \.detail),
  ]
}

/// What can be said of the whole process.
package struct EndReport: Message {
  /// The largest resident set in bytes, by the kernel's high-water mark.
  package var peakRSS = 1
  /// Nanoseconds that one refresh of jemalloc's statistics takes; nil without jemalloc.
  package var jemallocEpochNanoseconds: Int64?

  package init() {}
  /// See the properties.
  package init(peakRSS: Int, jemallocEpochNanoseconds: Int64? = nil) {
    self.peakRSS = peakRSS
    self.jemallocEpochNanoseconds = jemallocEpochNanoseconds
  }

  package static let word = "end"
  package static let fields: [MessageField<EndReport>] = [
    .number("peak-rss-bytes", \.peakRSS, in: 1 ... .max),
    .number("jemalloc-epoch-ns", \.jemallocEpochNanoseconds, in: 0 ... .max),
  ]
}
