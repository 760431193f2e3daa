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
  private let comparison: JSONValue
  private var layout: [(name: String, value: JSONValue)] = []
  private var counts: [(name: String, value: JSONValue)] = []
  private var columns = PageColumns()

  /// - Parameter comparison: what the page shows of two schedulers, and which of them it is of.
  init(_ trace: Trace, report: TraceReport, comparison: (PageComparison, place: Int)?) {
    self.trace = trace
    self.comparison = comparison.map { $0.value(pageOf: $1) } ?? .null
    findings = PageFindings(trace, report)
    addOperations()
    addEdges()
    addTable(
      "pauses", rows: WorkerPauses(trace).pauses,
      [
        ("thread", { _, pause in Int64(pause.thread) }),
        ("kind", { _, pause in pause.kind == .searching ? 1 : 0 }),
        ("start", { _, pause in pause.start }), ("end", { _, pause in pause.end }),
      ])
    addTable(
      "chain", rows: findings.chain,
      [
        ("operation", { _, stretch in Self.known(stretch.operation) }),
        ("part", { _, stretch in Int64(stretch.part.rawValue) }),
        ("start", { _, stretch in stretch.begin }), ("end", { _, stretch in stretch.end }),
      ])
  }

  /// The object in a form that may stand inside of HTML.
  var text: String {
    let header = trace.header
    let parameters = header.parameters.isEmpty ? "" : " (\(header.parameters))"
    let object = JSONValue.object([
      ("title", .string("\(header.workload) on \(header.scheduler)")),
      (
        "subject",
        .string("\(header.workload)\(parameters), \(header.durationNanoseconds.duration)")
      ),
      ("sentence", .string(findings.sentence)), ("comparison", comparison),
      ("notes", .array(findings.notes.map { .string($0) })),
      ("refusal", findings.refusal.map { .string($0) } ?? .null), ("figures", findings.figures),
      ("workers", .integer(header.workers)),
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
      ("breakdown", findings.breakdown), ("parallelism", PageParallelism(trace).value),
      ("utilisation", findings.utilisation), ("steals", findings.steals),
      ("projection", findings.projection), ("spanChain", findings.spanChain),
      ("makespan", .integer(Int(findings.makespan))), ("counts", .object(counts)),
      ("layout", .object(layout)),
      ("columns", .string(columns.text)),
    ])
    // A name may hold the end of the element that this stands in.
    return object.text.split(separator: "<", omittingEmptySubsequences: false)
      .joined(separator: "\\u003c")
  }

  /// Appends a table column by column, so that no more than its rows is in memory.
  private mutating func addTable<Row>(
    _ name: String, rows: [Row], _ contents: [(name: String, value: (Int, Row) -> Int64?)]
  ) {
    counts.append((name, .integer(rows.count)))
    layout.append((name, Self.words(contents.map(\.name))))
    for column in contents {
      columns.append(rows.indices.lazy.map { column.value($0, rows[$0]) })
    }
  }

  private mutating func addOperations() {
    let trace = trace
    let causes = findings.causeOfOperation
    addTable(
      "operations", rows: trace.operations,
      [
        ("name", { _, operation in Int64(operation.name) }),
        ("kind", { _, operation in Int64(operation.kind) }),
        ("thread", { _, operation in operation.lane(in: trace).map { Int64($0) } }),
        ("source", { _, operation in Int64(operation.source.rawValue) }),
        ("victim", { _, operation in Self.known(operation.victim) }),
        ("priority", { _, operation in Int64(operation.priority) }),
        ("outcome", { _, operation in Int64(operation.outcome.rawValue) }),
        ("releasedBy", { _, operation in Self.known(operation.releasedBy) }),
        ("cause", { index, _ in causes[index] }),
        ("created", { _, operation in operation.created }),
        ("enqueued", { _, operation in operation.enqueued }),
        ("ready", { _, operation in operation.ready }),
        ("admitted", { _, operation in operation.admitted }),
        ("started", { _, operation in operation.started }),
        ("returned", { _, operation in operation.returned }),
        ("finished", { _, operation in operation.finished }),
      ])
  }

  private mutating func addEdges() {
    let inside = trace.edges.filter {
      Int($0.predecessor) < trace.operations.count && Int($0.successor) < trace.operations.count
    }
    addTable(
      "edges", rows: inside,
      [
        ("predecessor", { _, edge in Int64(edge.predecessor) }),
        ("successor", { _, edge in Int64(edge.successor) }),
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
