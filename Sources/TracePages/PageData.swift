// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// The recording and its findings as the script of a page reads them: one JSON object.
///
/// What is there for each operation, edge, pause or step is in columns, whose names and order the
/// object tells; everything else is short.
struct PageData {
  private let trace: Trace
  private let findings: PageFindings
  private var layout: [(name: String, value: JSONValue)] = []
  private var counts: [(name: String, value: JSONValue)] = []
  private var columns = PageColumns()

  init(_ trace: Trace, report: TraceReport) {
    self.trace = trace
    findings = PageFindings(trace, report)
    addOperations()
    addEdges()
    let pauses = WorkerPauses(trace).pauses
    table(
      "pauses", count: pauses.count,
      [
        ("thread", pauses.map { Int64($0.thread) }),
        ("kind", pauses.map { $0.kind == .searching ? 1 : 0 }),
        ("start", pauses.map { $0.start }), ("end", pauses.map { $0.end }),
      ])
    let chain = findings.chain
    table(
      "chain", count: chain.count,
      [
        ("operation", chain.map { Self.known($0.operation) }),
        ("part", chain.map { Int64($0.part.rawValue) }), ("start", chain.map { $0.begin }),
        ("end", chain.map { $0.end }),
      ])
  }

  /// The object in a form that may stand inside of HTML.
  func text(notes: [String]) -> String {
    let header = trace.header
    let pictures = PagePictures(trace)
    let parameters = header.parameters.isEmpty ? "" : " (\(header.parameters))"
    let object = JSONValue.object([
      ("title", .string("\(header.workload) on \(header.scheduler)")),
      (
        "subject",
        .string("\(header.workload)\(parameters), \(header.durationNanoseconds.duration)")
      ),
      ("sentence", .string(findings.sentence)), ("notes", .array(notes.map { .string($0) })),
      ("refusal", findings.refusal.map { .string($0) } ?? .null), ("figures", findings.figures),
      ("duration", .integer(Int(header.durationNanoseconds))),
      ("names", .array(trace.names.map { .string($0) })), ("threads", .array(threadNames)),
      ("threadOfWorker", threadOfWorker), ("sources", Self.words(Self.sources)),
      ("outcomes", Self.words(["unfinished", "finished", "cancelled", "failed"])),
      ("parts", Self.words(RealisedPath.Part.allCases.map { "\($0)" })),
      (
        "partWords",
        .object(RealisedPath.Part.allCases.map { ("\($0)", .string($0.words)) })
      ),
      ("causeWords", Self.words(WaitCause.allCases.map(\.words))), ("causes", findings.causes),
      ("breakdown", findings.breakdown), ("parallelism", pictures.parallelism),
      ("utilisation", pictures.utilisation), ("steals", pictures.steals),
      ("counts", .object(counts)), ("layout", .object(layout)),
      ("columns", .string(columns.text)),
    ])
    // A name may hold the end of the element that this stands in.
    return object.text.split(separator: "<", omittingEmptySubsequences: false)
      .joined(separator: "\\u003c")
  }

  private mutating func table(
    _ name: String, count: Int, _ contents: [(name: String, values: [Int64?])]
  ) {
    counts.append((name, .integer(count)))
    layout.append((name, Self.words(contents.map(\.name))))
    for column in contents { columns.append(column.values) }
  }

  private mutating func addOperations() {
    let operations = trace.operations
    table(
      "operations", count: operations.count,
      [
        ("name", operations.map { Int64($0.name) }), ("kind", operations.map { Int64($0.kind) }),
        ("thread", operations.map { $0.lane(in: trace).map { Int64($0) } }),
        ("source", operations.map { Int64($0.source.rawValue) }),
        ("victim", operations.map { Self.known($0.victim) }),
        ("priority", operations.map { Int64($0.priority) }),
        ("outcome", operations.map { Int64($0.outcome.rawValue) }),
        ("releasedBy", operations.map { Self.known($0.releasedBy) }),
        ("cause", findings.causeOfOperation), ("created", operations.map(\.created)),
        ("enqueued", operations.map(\.enqueued)), ("ready", operations.map(\.ready)),
        ("admitted", operations.map(\.admitted)), ("started", operations.map(\.started)),
        ("returned", operations.map(\.returned)), ("finished", operations.map(\.finished)),
      ])
  }

  private mutating func addEdges() {
    let inside = trace.edges.filter {
      Int($0.predecessor) < trace.operations.count && Int($0.successor) < trace.operations.count
    }
    table(
      "edges", count: inside.count,
      [
        ("predecessor", inside.map { Int64($0.predecessor) }),
        ("successor", inside.map { Int64($0.successor) }),
      ])
  }

  /// Names of threads, each once, since rows of a chart are told apart by them.
  private var threadNames: [JSONValue] {
    var seen: [String: Int] = [:]
    return trace.threads.indices.map { thread in
      let name = trace.label(ofThread: thread)
      let count = seen[name, default: 0] + 1
      seen[name] = count
      return .string(count == 1 ? name : "\(name) (\(count))")
    }
  }

  private var threadOfWorker: JSONValue {
    .object(
      trace.threads.enumerated().filter { $0.element.worker >= 0 }.map { thread, value in
        (String(value.worker), .integer(thread))
      })
  }

  /// Where operations are found, by `TracedOperation.Source`.
  private static let sources = [
    "unknown", "own deque", "injector", "stolen", "handed over by the one before", "run in place",
    "shared queue",
  ]

  private static func words(_ words: [String]) -> JSONValue { .array(words.map { .string($0) }) }

  private static func known(_ index: Int32) -> Int64? { index < 0 ? nil : Int64(index) }
}
