// SPDX-License-Identifier: Apache-2.0

/// Reads a directed Graphviz DOT graph.
///
/// An edge `a -> b` says that b waits for a. The attribute `duration` of a node gives its seconds;
/// without it a node takes no time, and the graph has a remark. `node [duration=…]` sets the
/// default for nodes that first appear after it in the same subgraph or inside it. Other attributes
/// are checked for syntax and ignored, with a remark for those that look like `duration`.
struct DOTReader {
  /// A subgraph that is open, the outermost being the graph.
  private struct Frame {
    let subgraph: Int
    let firstMention: Int
    /// -1 where none is given.
    var defaultNanoseconds: Int64
    /// Left end of the edge that the current statement is about to draw.
    var left: Endpoint?
    /// The current statement has drawn an edge.
    var hasEdge = false
  }

  private enum Endpoint { case node(Int32), subgraph(Int) }

  private struct SubgraphKey: Hashable {
    let parent: Int
    let name: [UInt8]
  }

  private var lexer: DOTLexer
  private var names = NameTable()
  /// Per node: its nanoseconds, or -1 where the file gives none.
  private var durations: [Int64] = []
  private var attributes = DOTAttributes()
  private var children: [Int32] = []
  private var parents: [Int32] = []
  private var frames: [Frame] = []
  private var graphName = ""
  /// The id that a statement begins with; kept to reuse its memory.
  private var id: [UInt8] = []
  /// Every mention of a node inside a subgraph, in file order; the members of a subgraph are ranges
  /// of it, which include those of the subgraphs inside.
  private var mentions: [Int32] = []
  private var memberRanges: [[Range<Int>]] = []
  private var namedSubgraphs: [SubgraphKey: Int] = [:]
  private var visits = 0
  private var edgeDurations = 0

  /// Deepest nesting of subgraphs that is read.
  static let deepest = 4_096

  /// Most edges and members that edges between subgraphs may stand for.
  static let mostSubgraphVisits = 1 << 24

  /// Reads the graph in `bytes`; `stem` names it if the file does not.
  ///
  /// O(bytes + edges).
  static func read(_ bytes: [UInt8], path: String, stem: String) throws(TaskGraphError) -> TaskGraph
  {
    var reader = DOTReader(lexer: try DOTLexer(SourceText(path: path, bytes: bytes)))
    try reader.readHeader()
    while !reader.frames.isEmpty { try reader.readStatement() }
    if reader.lexer.token != .end {
      throw reader.lexer.failure(expected: "the end of the file", remedy: "keep one graph per file")
    }
    return try reader.graph(path: path, stem: stem)
  }

  private init(lexer: DOTLexer) { self.lexer = lexer }

  private mutating func readHeader() throws(TaskGraphError) {
    if lexer.token == .keyword(.strict) { try lexer.advance() }
    if lexer.token == .keyword(.graph) {
      throw lexer.failure(
        "the graph is undirected", expected: "`digraph`",
        remedy: "write `digraph` and `->`, from a task to those that wait")
    }
    guard lexer.token == .keyword(.digraph) else { throw lexer.failure(expected: "`digraph`") }
    try lexer.advance()
    if lexer.token == .id {
      graphName = String(decoding: lexer.text, as: UTF8.self)
      try lexer.advance()
    }
    guard lexer.token == .openBrace else { throw lexer.failure(expected: "`{`") }
    try lexer.advance()
    memberRanges.append([])
    frames.append(Frame(subgraph: 0, firstMention: 0, defaultNanoseconds: -1))
  }

  /// One step: a statement, the beginning or end of a subgraph, or one end of an edge.
  private mutating func readStatement() throws(TaskGraphError) {
    let inEdge = frames[frames.count - 1].left != nil
    switch lexer.token {
    case .semicolon where !inEdge: try lexer.advance()
    case .closeBrace where !inEdge: try closeSubgraph()
    case .openBrace, .keyword(.subgraph): try openSubgraph()
    case .keyword(.node) where !inEdge:
      try lexer.advance()
      guard lexer.token == .openBracket else { throw lexer.failure(expected: "`[`") }
      if let duration = try readAttributes() {
        frames[frames.count - 1].defaultNanoseconds = duration
      }
    case .keyword(.edge) where !inEdge, .keyword(.graph) where !inEdge:
      try lexer.advance()
      guard lexer.token == .openBracket else { throw lexer.failure(expected: "`[`") }
      _ = try readAttributes()
    case .id: try readNodeOrAssignment(inEdge: inEdge)
    default:
      throw lexer.failure(
        expected: inEdge ? "a node or a subgraph after `->`" : "a statement or `}`")
    }
  }

  private mutating func readNodeOrAssignment(inEdge: Bool) throws(TaskGraphError) {
    lexer.takeText(&id)
    try lexer.advance()
    if lexer.token == .equals, !inEdge {
      try lexer.advance()
      guard lexer.token == .id else { throw lexer.failure(expected: "a value after `=`") }
      return try lexer.advance()
    }
    let (node, isNew) = names.intern(id[...])
    if isNew { durations.append(frames[frames.count - 1].defaultNanoseconds) }
    if frames.count > 1 { mentions.append(Int32(node)) }
    var ports = 0
    while lexer.token == .colon, ports < 2 {
      try lexer.advance()
      guard lexer.token == .id else { throw lexer.failure(expected: "a port after `:`") }
      try lexer.advance()
      ports += 1
    }
    try endOperand(.node(Int32(node)))
  }

  private mutating func openSubgraph() throws(TaskGraphError) {
    let parent = frames[frames.count - 1]
    var number: Int?
    if lexer.token == .keyword(.subgraph) {
      try lexer.advance()
      if lexer.token == .id {
        let key = SubgraphKey(parent: parent.subgraph, name: lexer.text)
        number = namedSubgraphs[key]
        if number == nil { namedSubgraphs[key] = memberRanges.count }
        try lexer.advance()
      }
    }
    guard lexer.token == .openBrace else { throw lexer.failure(expected: "`{`") }
    if frames.count > Self.deepest {
      throw lexer.failure(
        "subgraphs are nested more than \(Self.deepest) deep", expected: "fewer levels",
        remedy: "flatten the graph")
    }
    try lexer.advance()
    if number == nil { memberRanges.append([]) }
    frames.append(
      Frame(
        subgraph: number ?? memberRanges.count - 1, firstMention: mentions.count,
        defaultNanoseconds: parent.defaultNanoseconds))
  }

  private mutating func closeSubgraph() throws(TaskGraphError) {
    let closed = frames.removeLast()
    try lexer.advance()
    if frames.isEmpty { return }
    if closed.firstMention < mentions.count {
      memberRanges[closed.subgraph].append(closed.firstMention..<mentions.count)
    }
    try endOperand(.subgraph(closed.subgraph))
  }

  /// After a node or subgraph: draws the edge that led to it, then goes on with the next one or
  /// ends the statement.
  private mutating func endOperand(_ operand: Endpoint) throws(TaskGraphError) {
    let frame = frames.count - 1
    if let left = frames[frame].left { try connect(left, operand) }
    switch lexer.token {
    case .arrow:
      frames[frame].left = operand
      frames[frame].hasEdge = true
      return try lexer.advance()
    case .line:
      throw lexer.failure(
        "found the undirected edge `--`", expected: "`->`", remedy: "give the edge a direction")
    default: break
    }
    if lexer.token == .openBracket {
      let duration = try readAttributes()
      if let duration {
        if frames[frame].hasEdge {
          edgeDurations += 1
        } else if case .node(let node) = operand {
          durations[Int(node)] = duration
        }
      }
    }
    frames[frame].left = nil
    frames[frame].hasEdge = false
  }

  private mutating func connect(_ left: Endpoint, _ right: Endpoint) throws(TaskGraphError) {
    if case .node(let parent) = left, case .node(let child) = right {
      parents.append(parent)
      children.append(child)
      return
    }
    let lefts = try members(of: left)
    let rights = try members(of: right)
    let (product, overflow) = lefts.count.multipliedReportingOverflow(by: rights.count)
    try spend(overflow ? Int.max : product)
    for parent in lefts {
      for child in rights {
        parents.append(parent)
        children.append(child)
      }
    }
  }

  /// The nodes of one end of an edge, each once.
  private mutating func members(of endpoint: Endpoint) throws(TaskGraphError) -> [Int32] {
    switch endpoint {
    case .node(let node): return [node]
    case .subgraph(let subgraph):
      var result: [Int32] = []
      var seen: Set<Int32> = []
      for range in memberRanges[subgraph] {
        try spend(range.count + 1)
        for node in mentions[range] where seen.insert(node).inserted { result.append(node) }
      }
      return result
    }
  }

  private mutating func spend(_ amount: Int) throws(TaskGraphError) {
    if amount > Self.mostSubgraphVisits - visits {
      throw lexer.failure(
        "edges between subgraphs stand for more than \(Self.mostSubgraphVisits) edges",
        expected: "fewer",
        remedy: "put a node with duration=0 between the two subgraphs")
    }
    visits += amount
  }

  /// Reads one or more attribute lists and returns the duration in them, if any.
  private mutating func readAttributes() throws(TaskGraphError) -> Int64? {
    var duration: Int64?
    while lexer.token == .openBracket {
      try lexer.advance()
      while lexer.token != .closeBracket {
        guard lexer.token == .id else { throw lexer.failure(expected: "an attribute or `]`") }
        let isDuration = lexer.text.elementsEqual("duration".utf8)
        if !isDuration { attributes.note(lexer.text[...], at: lexer.start) }
        try lexer.advance()
        if lexer.token == .equals {
          try lexer.advance()
          guard lexer.token == .id else { throw lexer.failure(expected: "a value after `=`") }
          if isDuration { duration = try readDuration() }
          try lexer.advance()
        } else if isDuration {
          throw lexer.failure(
            "`duration` has no value", expected: "`=` and \(RecordedDuration.expectation)")
        }
        if lexer.token == .comma || lexer.token == .semicolon { try lexer.advance() }
      }
      try lexer.advance()
    }
    return duration
  }

  private func readDuration() throws(TaskGraphError) -> Int64 {
    // An empty value is how DOT takes an attribute back.
    if lexer.text.isEmpty { return 0 }
    switch RecordedDuration.nanoseconds(text: lexer.text[...]) {
    case .success(let nanoseconds): return nanoseconds
    case .failure(let fault):
      throw lexer.failure(
        fault.finding, expected: RecordedDuration.expectation, remedy: "correct the attribute")
    }
  }

  private func graph(path: String, stem: String) throws(TaskGraphError) -> TaskGraph {
    let lists = DependencyLists(nodes: names.count, children: children, parents: parents)
    var tasks: [TaskGraph.Task] = []
    tasks.reserveCapacity(names.count)
    for index in 0..<names.count {
      tasks.append(
        TaskGraph.Task(
          name: names.name(index), durationNanoseconds: max(durations[index], 0),
          parents: Array(lists.parents(of: index))))
    }
    var notes = attributes.remarks(lexer.source)
    let without = durations.indices.filter { durations[$0] < 0 }
    if let first = without.first {
      notes.append(
        "\(path): \(without.count) of \(counted(durations.count, "task")) "
          + "\(without.count == 1 ? "has" : "have") no `duration` and "
          + "\(without.count == 1 ? "takes" : "take") no time, first `\(printable(names.name(first)))`; "
          + "write duration=0 where that is meant")
    }
    if edgeDurations > 0 {
      notes.append(
        "\(path): \(counted(edgeDurations, "edge statement")) with a duration; only durations of nodes count"
      )
    }
    return try TaskGraph(
      name: graphName.isEmpty ? stem : graphName, source: .dot, tasks: tasks, notes: notes,
      path: path)
  }
}
