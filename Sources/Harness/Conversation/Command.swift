// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// What an orchestrator tells its child to do next.
///
/// The child does one after the other, reports while it does, and says `done` behind each; behind
/// `stop` it says `end` and ends. After `failed` it hears nothing more.
package enum Command: Equatable, Sendable {
  /// Makes a contestant, number 0 first, then 1, and so on, and changes to it.
  case prepare(Assignment)
  /// Changes to a contestant that has been made, once the threads of all of them sleep.
  case select(Selection)
  /// Fixes how often the contestant's program runs for one sample.
  case freeze(Freezing)
  /// Runs the contestant and reports samples.
  case iterate(Iterations)
  /// Runs the contestant once under a recording and reports the sample.
  case record(RecordOrder)
  /// Shuts every contestant down.
  case stop

  /// Reads a command's line.
  package init(text: String) throws(MessageError) {
    let line = try MessageLine(text: text)
    switch line.word {
    case Assignment.word: self = .prepare(try Assignment(line))
    case Selection.word: self = .select(try Selection(line))
    case Freezing.word: self = .freeze(try Freezing(line))
    case Iterations.word: self = .iterate(try Iterations(line))
    case RecordOrder.word: self = .record(try RecordOrder(line))
    case Stop.word:
      _ = try Stop(line)
      self = .stop
    default:
      throw MessageError(
        "unknown command '\(MessageLine.shown(line.word[...]))'",
        expected: [
          Assignment.word, Selection.word, Freezing.word, Iterations.word, RecordOrder.word,
          Stop.word,
        ].joined(separator: ", "))
    }
  }

  /// The command as one line, without its line feed.
  package var line: String {
    switch self {
    case .prepare(let message): message.line
    case .select(let message): message.line
    case .freeze(let message): message.line
    case .iterate(let message): message.line
    case .record(let message): message.line
    case .stop: Stop().line
    }
  }

  /// Its first word.
  package var word: String { String(line.prefix { $0 != " " }) }
}

extension Assignment: Message {
  package init() {
    self.init(subject: .workload(""), system: .scheduler(""), workers: 1, seed: 0)
  }

  package static let word = "prepare"
  package static let fields: [MessageField<Assignment>] = [
    .either(
      \.subject,
      [
        MessageKind(
          key: "workload", text: { if case .workload(let name) = $0 { name } else { nil } },
          value: { .workload($0) }),
        MessageKind(
          key: "graph", text: { if case .graph(let path) = $0 { path } else { nil } },
          value: { .graph(path: $0) }),
      ]),
    .either(
      \.system,
      [
        MessageKind(
          key: "scheduler", text: { if case .scheduler(let name) = $0 { name } else { nil } },
          value: { .scheduler($0) }),
        MessageKind(
          key: "reference", text: { if case .reference(let name) = $0 { name } else { nil } },
          value: { .reference($0) }),
      ]),
    .number("workers", \.workers, in: 1 ... .max),
    .value(
      "parameters", \.parameters, expected: "name:value;…", encode: { $0.description },
      decode: { Parameters(canonical: $0) }),
    .value(
      "knobs", \.knobs, expected: "name:value;…", encode: { $0.description },
      decode: { KnobSettings(canonical: $0) }),
    .number("seed", \.seed),
    .map(prefix: "x-", \.extra),
  ]
}

/// Which contestant.
package struct Selection: Message {
  /// Its number, in the order of making.
  package var contestant = 0

  package init() {}
  /// The contestant of that number.
  package init(contestant: Int) { self.contestant = contestant }

  package static let word = "select"
  package static let fields: [MessageField<Selection>] = [
    .number("contestant", \.contestant, in: 0 ... .max)
  ]
}

/// How often the program runs for one sample, so that two sides do identical work.
package struct Freezing: Message {
  /// Runs of the program, 1 or more; 1 unless frozen.
  package var runs = 1

  package init() {}
  /// So many runs for one sample.
  package init(runs: Int) { self.runs = runs }

  package static let word = "freeze"
  package static let fields: [MessageField<Freezing>] = [
    .number("runs", \.runs, in: 1...1_000_000_000)
  ]
}

/// How long to iterate.
package struct Iterations: Message {
  /// Runs of the program before the first sample, not reported.
  package var warmups = 0
  /// Runs of the program go on before the first sample, not reported, until they have taken this
  /// long together; nil for none, which a child of an earlier revision understands.
  package var warmupNanoseconds: UInt64?
  /// Samples at least.
  package var least = 1
  /// Samples at most, however short they are; 0 to warm up only.
  package var most = 1
  /// Samples go on until they have taken this long together.
  package var budgetNanoseconds: UInt64 = 0
  /// Whether further runs follow that are not samples, in which the processor counts.
  package var countsHardware = false

  package init() {}
  /// See the properties; one sample by default.
  package init(
    warmups: Int = 0, warmupNanoseconds: UInt64? = nil, least: Int = 1, most: Int = 1,
    budgetNanoseconds: UInt64 = 0, countsHardware: Bool = false
  ) {
    self.warmups = warmups
    self.warmupNanoseconds = warmupNanoseconds
    self.least = least
    self.most = most
    self.budgetNanoseconds = budgetNanoseconds
    self.countsHardware = countsHardware
  }

  package static let word = "iterate"
  package static let fields: [MessageField<Iterations>] = [
    .number("warm-ups", \.warmups, in: 0 ... .max),
    .number("warm-up-ns", \.warmupNanoseconds), .number("least", \.least, in: 0 ... .max),
    .number("most", \.most, in: 0 ... .max), .number("budget-ns", \.budgetNanoseconds),
    .flag("counts-hardware", \.countsHardware),
  ]
}

/// The end of the conversation.
struct Stop: Message {
  static let word = "stop"
  static let fields: [MessageField<Stop>] = []
}
