// SPDX-License-Identifier: Apache-2.0

internal import Scheduling
internal import Testing

@testable internal import Harness

/// Random messages of every kind, from a seed.
private struct MessageGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func word() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 32) ^ (state << 24)
  }

  mutating func below(_ count: Int) -> Int { Int(word() % UInt64(count)) }

  mutating func count() -> Int { Int(word() >> UInt64(1 + below(63))) }

  mutating func text() -> String {
    let alphabet = Array("abcxyz-09 %=\n\r\0\t,;:żółć🙂".unicodeScalars)
    var text = ""
    for _ in 0..<below(12) { text.unicodeScalars.append(alphabet[below(alphabet.count)]) }
    return text
  }

  mutating func assignment() -> Assignment {
    var assignment = Assignment(
      subject: below(2) == 0 ? .workload(text()) : .graph(path: text()),
      system: below(2) == 0 ? .scheduler(text()) : .reference(text()), workers: 1 + count() / 2,
      parameters: below(2) == 0
        ? Parameters() : Parameters(["n": .number(count()), "width": .number(-below(9))]),
      knobs: below(2) == 0 ? KnobSettings() : KnobSettings(["pin": "compact", "spin-us": 5]),
      seed: word())
    for _ in 0..<below(3) { assignment.extra[text()] = text() }
    return assignment
  }

  mutating func command() -> Command {
    switch below(6) {
    case 0: .prepare(assignment())
    case 1: .select(Selection(contestant: count()))
    case 2: .freeze(Freezing(runs: 1 + below(1_000_000_000)))
    case 3:
      .iterate(
        Iterations(
          warmups: count(), warmupNanoseconds: below(2) == 0 ? nil : word(), least: count(),
          most: count(),
          budgetNanoseconds: word(), countsHardware: below(2) == 0))
    case 4:
      .record(
        RecordOrder(
          detail: below(2) == 0 ? .full : .latency, ringEvents: 1 + count() / 2,
          breakOverNanoseconds: below(2) == 0 ? nil : 1 + Int64(below(1_000_000)), path: text(),
          warmupNanoseconds: below(2) == 0 ? nil : word()))
    default: .stop
    }
  }

  mutating func report() -> ChildReport {
    switch below(9) {
    case 0: .ready(ReadyReport(allocator: text()))
    case 1: .prepared(PreparedReport(contestant: count(), operations: 1 + count() / 2))
    case 2:
      .sample(
        IterationSample(
          buildNanoseconds: word(), runNanoseconds: word(), releaseNanoseconds: word(),
          cpuNanoseconds: word(), voluntarySwitches: -Int64(count()),
          involuntarySwitches: Int64(count()), operations: 1 + count() / 2))
    case 3:
      .series(
        SeriesReport(
          metric: text(),
          values: (0...below(600)).map { _ in word() }))
    case 4:
      .value(
        ValueReport(metric: text(), value: Double(word()) * (below(2) == 0 ? 1e-30 : -1e200)))
    case 5: .missing(MissingReport(metric: text(), reason: text()))
    case 6: .done(DoneReport(command: text()))
    case 7:
      .failed(
        ChildFailure(ChildFailure.Kind.allCases[below(3)], reason: text(), detail: text()))
    default:
      .end(
        EndReport(
          peakRSS: 1 + count() / 2,
          jemallocEpochNanoseconds: below(2) == 0 ? nil : Int64(count())))
    }
  }
}

@Suite("The lines between an orchestrator and its child") struct ConversationTests {
  @Test(arguments: 1...5 as ClosedRange<UInt64>) func everyMessageReadsBack(_ seed: UInt64) throws {
    var generator = MessageGenerator(seed: seed)
    for _ in 0..<500 {
      let command = generator.command()
      #expect(!command.line.utf8.contains(UInt8(ascii: "\n")), "seed \(seed)")
      #expect(try Command(text: command.line) == command, "seed \(seed)")
      let report = generator.report()
      #expect(!report.line.utf8.contains(UInt8(ascii: "\n")), "seed \(seed)")
      #expect(try ChildReport(text: report.line) == report, "seed \(seed)")
      let setup = ChildSetup(
        allocator: generator.below(2) == 0 ? .system : .jemalloc,
        cpus: generator.below(2) == 0 ? nil : 1 + generator.below(1000))
      #expect(try ChildSetup(hello: setup.line) == setup)
      let identity = ChildIdentity(
        swiftVersion: generator.text(), optimization: generator.text(),
        sanitizer: generator.text())
      #expect(try ChildIdentity(hello: identity.line) == identity)
    }
  }

  /// A field more, less or twice is named in every message.
  @Test(arguments: 1...5 as ClosedRange<UInt64>) func noFieldIsDroppedOrMadeUp(_ seed: UInt64) {
    var generator = MessageGenerator(seed: seed)
    func finding(_ line: String) -> String? {
      do {
        _ = try Command(text: line)
      } catch {
        guard error.finding.hasPrefix("unknown command") else { return error.finding }
        do { _ = try ChildReport(text: line) } catch { return error.finding }
      }
      return nil
    }
    for _ in 0..<300 {
      let line = generator.below(2) == 0 ? generator.command().line : generator.report().line
      #expect(finding(line) == nil, "\(line)")
      #expect(finding(line + " zeal=1")?.contains("unknown field 'zeal'") == true, "\(line)")
      var fields = line.split(separator: " ", omittingEmptySubsequences: false)
      guard fields.count > 1 else { continue }
      let index = 1 + generator.below(fields.count - 1)
      let field = fields[index]
      let key = String(field.prefix { $0 != "=" })
      #expect(finding(line + " " + field)?.contains("field '\(key)' twice") == true, "\(line)")
      let optional = ["jemalloc-epoch-ns", "counts-hardware", "break-over-ns", "warm-up-ns"]
      if !optional.contains(key), !key.hasPrefix("x-") {
        fields.remove(at: index)
        let rest = fields.joined(separator: " ")
        #expect(finding(rest) != nil, "\(rest)")
      }
    }
  }

  @Test(arguments: [
    (
      "frobnicate",
      "unknown command 'frobnicate'; expected prepare, select, freeze, iterate, record, stop"
    ),
    ("", "unknown command ''; expected prepare, select, freeze, iterate, record, stop"),
    ("select", "'select' without 'contestant'; expected contestant=a whole number from 0"),
    ("select contestant=x", "contestant=x in 'select'; expected contestant=a whole number from 0"),
    ("select contestant=-1", "contestant=-1 in 'select'"),
    ("select contestant=99999999999999999999", "contestant=99999999999999999999 in 'select'"),
    ("select  contestant=1", "'' in 'select'; expected key=value"),
    ("select contestant", "'contestant' in 'select'; expected key=value"),
    ("select =1", "'=1' in 'select'; expected key=value"),
    ("select contestant=%G0", "'contestant=%G0' in 'select'; expected key=value"),
    (
      "iterate warm-ups=0 least=1 most=1 budget-ns=0 counts-hardware=no",
      "counts-hardware=no in 'iterate'; expected counts-hardware=yes"
    ),
    ("freeze runs=0", "runs=0 in 'freeze'; expected runs=a whole number from 1 to 1000000000"),
    ("stop now=1", "unknown field 'now' in 'stop'; expected no field"),
    (
      "iterate warm-ups=1 least=1 most=1 budget-ns=1 speed=9",
      "unknown field 'speed' in 'iterate'"
    ),
    (
      "prepare workload=a graph=b scheduler=c workers=1 parameters= knobs= seed=1",
      "'prepare' with 2 of them; expected workload or graph"
    ),
    (
      "prepare workload=a scheduler=c workers=1 parameters=n:X knobs= seed=1",
      "parameters=n:X in 'prepare'; expected parameters=name:value;…"
    ),
    (
      "prepare workload=a scheduler=c workers=1 parameters= knobs= seed=1 colour=red",
      "unknown field 'colour' in 'prepare'"
    ),
  ])
  func aCommandThatIsNoneIsNamed(line: String, message: String) {
    let error = #expect(throws: MessageError.self) { try Command(text: line) }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("hello", "'hello'; expected hello version=1 …"), ("bonjour version=1", "'bonjour version=1'"),
    ("hello version=1 allocator=none", "allocator=none in 'hello'; expected allocator=jemalloc"),
    ("hello version=1 allocator=system cpus=0", "cpus=0 in 'hello'"),
    ("hello version=1 allocator=system mood=1", "unknown field 'mood' in 'hello'"),
    ("hello version=2 mood=1", "the other side speaks version 2 of the conversation; expected 1"),
    ("workload=chain\nscheduler=inline", "'workload=chain\nscheduler=inline'; expected hello"),
  ])
  func aFirstLineThatIsNoneIsNamed(line: String, message: String) {
    let error = #expect(throws: HelloError.self) { try ChildSetup(hello: line) }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }

  @Test(arguments: 1...30) func linesComeInAnyPortions(_ portion: Int) throws {
    let lines = ["one", "", "two three", String(repeating: "x", count: 100), "last"]
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    var buffer = LineBuffer()
    var found: [String] = []
    for start in stride(from: 0, to: bytes.count, by: portion) {
      buffer.append(bytes[start..<min(start + portion, bytes.count)])
      while let line = try buffer.next() { found.append(line) }
    }
    #expect(found == lines)
  }
}
