// SPDX-License-Identifier: Apache-2.0

/// Reads a graph in the form of this suite: a line per task, `id,duration_ns,after[,name]`.
///
/// `after` holds the ids of the tasks that it waits for, blanks between them; they may stand
/// further down. Lines `# key: value` before the header say where the graph is from. A name may be
/// quoted as in every CSV, without line ends in it.
struct GraphCSVReader {
  /// The columns of every file.
  static let columns = "id,duration_ns,after"
  /// The columns of a file whose ids are not the names.
  static let columnsWithName = columns + ",name"

  private let source: SourceText
  private var at = 0
  private var facts: [TaskGraph.Fact] = []
  private var hasNames = false
  private var ids = NameTable()
  /// Per id: its task, or -1 while it has only been waited for.
  private var taskOfID: [Int32] = []
  /// Per id: where it is first mentioned.
  private var mentions: [Int] = []
  private var names: [String] = []
  private var durations: [Int64] = []
  /// Pairs of a task and the id that it waits for.
  private var waiters: [Int32] = []
  private var awaited: [Int32] = []

  /// Reads the graph in `bytes`; `stem` names it if the file does not.
  ///
  /// O(bytes + dependencies).
  static func read(_ bytes: [UInt8], path: String, stem: String) throws(TaskGraphError) -> TaskGraph
  {
    var reader = GraphCSVReader(source: SourceText(path: path, bytes: bytes))
    try reader.readHeader()
    while reader.at < bytes.count { try reader.readLine() }
    return try reader.graph(path: path, stem: stem)
  }

  private init(source: SourceText) { self.source = source }

  private mutating func readHeader() throws(TaskGraphError) {
    if source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    while source[at] == UInt8(ascii: "#") {
      let line = source.bytes[at..<endOfLine()].dropFirst()
      let text = String(decoding: line, as: UTF8.self)
      if let colon = text.firstIndex(of: ":") {
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        facts.append(.init(key: text[..<colon].drop { $0 == " " }, value: value))
      }
      stepOverLine()
    }
    let header = String(decoding: source.bytes[at..<endOfLine()], as: UTF8.self)
    hasNames = header == Self.columnsWithName
    guard hasNames || header == Self.columns else {
      throw source.failure(
        at: at, "the header is `\(printable(header))`",
        expected: "`\(Self.columns)` or `\(Self.columnsWithName)`",
        remedy: "write the header, or import the file from the format that it has")
    }
    stepOverLine()
  }

  /// The offset behind the text of the present line.
  private func endOfLine() -> Int {
    var end = at
    while end < source.bytes.count, source.bytes[end] != 0x0A { end += 1 }
    return end > at && source[end - 1] == 0x0D ? end - 1 : end
  }

  private mutating func stepOverLine() {
    at = endOfLine()
    while at < source.bytes.count, source.bytes[at] != 0x0A { at += 1 }
    at = min(at + 1, source.bytes.count)
  }

  private mutating func readLine() throws(TaskGraphError) {
    let end = endOfLine()
    // An empty line means nothing, also the last one.
    guard end > at else { return stepOverLine() }
    let comma = UInt8(ascii: ",")
    let id = field(until: end)
    guard let first = id.first, !id.contains(where: { $0 == 0x20 || $0 == UInt8(ascii: "\"") })
    else {
      throw source.failure(
        at: at, id.isEmpty ? "the id is empty" : "the id has a blank or a quotation mark in it",
        expected: "a word without blanks, such as a number",
        remedy: "give the task an id; text belongs into the column `name`")
    }
    guard first != UInt8(ascii: "#") else {
      throw source.failure(
        at: at, "the id begins with `#`", expected: "comments above the header alone",
        remedy: "move the comment up, or rename the task")
    }
    let task = Int32(names.count)
    let (index, _) = mention(id)
    guard taskOfID[index] < 0 else {
      throw source.failure(
        at: at, "the id `\(printable(ids.name(index)))` is there twice", expected: "every id once",
        remedy: "rename one of the two tasks")
    }
    taskOfID[index] = task
    try step(over: comma, after: id, "the id", end: end)
    durations.append(try duration(until: end))
    try step(over: comma, after: field(until: end), "the duration", end: end)
    let after = field(until: end)
    for word in after.split(separator: 0x20) {
      waiters.append(task)
      awaited.append(Int32(mention(word).index))
    }
    at = after.endIndex
    var name = ids.name(index)
    if hasNames {
      try step(over: comma, after: after, "`after`", end: end)
      let given = try quotedOrPlain(until: end)
      if !given.isEmpty { name = given }
    }
    names.append(name)
    guard at == end else {
      throw source.failure(
        at: at, "found \(source.describe(at))",
        expected: "the end of the line after \(hasNames ? 4 : 3) fields",
        remedy: hasNames
          ? "quote a name that has a comma or a quotation mark in it" : "leave out what follows")
    }
    stepOverLine()
  }

  private mutating func mention(_ id: ArraySlice<UInt8>) -> (index: Int, isNew: Bool) {
    let (index, isNew) = ids.intern(id)
    if isNew {
      taskOfID.append(-1)
      mentions.append(id.startIndex)
    }
    return (index, isNew)
  }

  /// What stands before the next comma.
  private func field(until end: Int) -> ArraySlice<UInt8> {
    source.bytes[at..<end].prefix { $0 != UInt8(ascii: ",") }
  }

  private mutating func step(
    over comma: UInt8, after field: ArraySlice<UInt8>, _ what: String, end: Int
  ) throws(TaskGraphError) {
    at = field.endIndex
    guard at < end else {
      throw source.failure(
        at: at, "the line ends after \(what)",
        expected: "`\(hasNames ? Self.columnsWithName : Self.columns)`",
        remedy: "write every comma; a task that waits for nothing has an empty `after`")
    }
    at += 1
  }

  private func duration(until end: Int) throws(TaskGraphError) -> Int64 {
    let text = field(until: end)
    let isWhole =
      !text.isEmpty && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isWhole, let duration = Int64(String(decoding: text, as: UTF8.self)) else {
      throw source.failure(
        at: at,
        text.isEmpty
          ? "the duration is empty"
          : "the duration `\(printable(String(decoding: text, as: UTF8.self)))` is no such number",
        expected: "whole nanoseconds, 0 to \(Int64.max)", remedy: "correct the field")
    }
    return duration
  }

  private mutating func quotedOrPlain(until end: Int) throws(TaskGraphError) -> String {
    let quote = UInt8(ascii: "\"")
    guard source[at] == quote, at < end else {
      let plain = field(until: end)
      at = plain.endIndex
      return String(decoding: plain, as: UTF8.self)
    }
    let start = at
    var bytes: [UInt8] = []
    at += 1
    while at < end {
      if source[at] == quote {
        at += 1
        guard source[at] == quote, at < end else { return String(decoding: bytes, as: UTF8.self) }
      }
      bytes.append(source[at])
      at += 1
    }
    throw source.failure(
      at: start, "the quotation mark is not closed on its line",
      expected: "`\"` at the end of the name",
      remedy: "close it; inside, a quotation mark is written twice")
  }

  private func graph(path: String, stem: String) throws(TaskGraphError) -> TaskGraph {
    if let unknown = taskOfID.firstIndex(where: { $0 < 0 }) {
      throw source.failure(
        at: mentions[unknown], "no task has the id `\(printable(ids.name(unknown)))`",
        expected: "ids of tasks of this file, blanks between them",
        remedy: "correct the id, or add the task")
    }
    let lists = DependencyLists(
      nodes: names.count, children: waiters, parents: awaited.map { taskOfID[Int($0)] })
    let tasks = names.indices.map { index in
      TaskGraph.Task(
        name: names[index], durationNanoseconds: durations[index],
        parents: Array(lists.parents(of: index)))
    }
    let name = facts.first { $0.key == TaskGraph.Fact.nameKey }?.value
    return try TaskGraph(
      name: name ?? stem, source: .csv, tasks: tasks, facts: facts, path: path)
  }
}
