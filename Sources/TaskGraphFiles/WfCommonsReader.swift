// SPDX-License-Identifier: Apache-2.0

/// Reads a WfCommons workflow, WfFormat 1.5.
///
/// Tasks and parents come from `workflow.specification.tasks`, durations from
/// `workflow.execution.tasks`, joined by `id`. Two passes: the first checks the syntax and the
/// version, so that a file of another version is not judged by the rules of this one. Source: the
/// WfFormat schema at version 1.5, github.com/wfcommons/WfFormat.
struct WfCommonsReader {
  private var scanner: JSONScanner
  private var ids = NameTable()
  /// Per id: index of its task in the specification, or -1.
  private var taskOfID: [Int32] = []
  /// Per id: measured duration, or -1.
  private var durationOfID: [Int64] = []
  /// Per task: its id.
  private var idOfTask: [Int32] = []
  /// Pairs (task, id of a parent) in file order.
  private var children: [Int32] = []
  private var parentIDs: [Int32] = []
  private var workflowName = ""

  /// Reads the document in `bytes`; `stem` names the graph if the document does not.
  ///
  /// O(bytes), memory for the ids and dependencies only.
  static func read(_ bytes: [UInt8], path: String, stem: String) throws(TaskGraphError) -> TaskGraph
  {
    let source = SourceText(path: path, bytes: bytes)
    try checkEncoding(source)
    try checkVersion(source)
    var reader = WfCommonsReader(scanner: JSONScanner(source))
    try reader.readDocument()
    return try reader.graph(path: path, stem: stem)
  }

  private init(scanner: JSONScanner) { self.scanner = scanner }

  private static func checkEncoding(_ source: SourceText) throws(TaskGraphError) {
    let offset: Int
    do {
      _ = try UTF8Span(validating: source.bytes.span)
      return
    } catch {
      offset = error.byteOffsets.lowerBound
    }
    throw source.failure(
      at: offset, "found \(source.describe(offset)), which is no UTF-8", expected: "JSON in UTF-8",
      remedy: "check that this is a WfCommons file, and not compressed")
  }

  private static func checkVersion(_ source: SourceText) throws(TaskGraphError) {
    var scanner = JSONScanner(source)
    scanner.toleratesNonFinite = true
    var version: String?
    var versionPlace = 0
    try scanner.openObject()
    var first = true
    while try scanner.nextKey(first: &first) {
      guard scanner.textIs("schemaVersion") else {
        try scanner.skipValue()
        continue
      }
      let isString = scanner.peek() == UInt8(ascii: "\"")
      versionPlace = scanner.at
      if isString { try scanner.readString() } else { try scanner.skipValue() }
      let raw = isString ? scanner.text[...] : source.bytes[versionPlace..<scanner.at]
      version = isString ? String(decoding: raw, as: UTF8.self) : "of another type"
    }
    try scanner.expectEnd()
    if version == "1.5" { return }
    scanner.codingPath = [.key("schemaVersion")]
    throw scanner.failure(
      at: versionPlace,
      version.map { "the schema version is \(printable($0))" } ?? "the schema version is missing",
      expected: "\"1.5\"", remedy: "convert the workflow to WfFormat 1.5 with the WfCommons tools")
  }

  private mutating func readDocument() throws(TaskGraphError) {
    var seen: Set<String> = []
    try scanner.openObject()
    var first = true
    while try scanner.nextKey(first: &first) {
      if scanner.textIs("name") {
        scanner.codingPath.append(.key("name"))
        try scanner.readString()
        workflowName = String(decoding: scanner.text, as: UTF8.self)
        scanner.codingPath.removeLast()
      } else if scanner.textIs("workflow") {
        try enter("workflow", &seen)
        try readWorkflow()
        scanner.codingPath.removeLast()
      } else {
        try scanner.skipValue()
      }
    }
    if !seen.contains("workflow") { throw missing("workflow") }
  }

  private mutating func readWorkflow() throws(TaskGraphError) {
    var seen: Set<String> = []
    try scanner.openObject()
    var first = true
    while try scanner.nextKey(first: &first) {
      let isSpecification = scanner.textIs("specification")
      guard isSpecification || scanner.textIs("execution") else {
        try scanner.skipValue()
        continue
      }
      try enter(isSpecification ? "specification" : "execution", &seen)
      try readTaskList(isSpecification: isSpecification)
      scanner.codingPath.removeLast()
    }
    for key in ["specification", "execution"] where !seen.contains(key) { throw missing(key) }
  }

  /// The object around a `tasks` array, of the specification or of the execution.
  private mutating func readTaskList(isSpecification: Bool) throws(TaskGraphError) {
    var seen: Set<String> = []
    try scanner.openObject()
    var first = true
    while try scanner.nextKey(first: &first) {
      guard scanner.textIs("tasks") else {
        try scanner.skipValue()
        continue
      }
      try enter("tasks", &seen)
      try scanner.expect(UInt8(ascii: "["), "an array")
      var index = 0
      var firstElement = true
      while try scanner.nextElement(first: &firstElement) {
        scanner.codingPath.append(.index(index))
        if isSpecification { try readSpecification() } else { try readExecution() }
        scanner.codingPath.removeLast()
        index += 1
      }
      scanner.codingPath.removeLast()
    }
    if !seen.contains("tasks") { throw missing("tasks") }
  }

  private mutating func readSpecification() throws(TaskGraphError) {
    let task = Int32(idOfTask.count)
    var id: Int32?
    var hasParents = false
    let start = (scanner.peek(), scanner.at).1
    try scanner.openObject()
    var first = true
    while try scanner.nextKey(first: &first) {
      if scanner.textIs("id") {
        if id != nil { throw repeated("id") }
        id = try readID()
      } else if scanner.textIs("parents") {
        if hasParents { throw repeated("parents") }
        hasParents = true
        try readParents(of: task)
      } else {
        try scanner.skipValue()
      }
    }
    guard let id else { throw missing("id", at: start) }
    if !hasParents { throw missing("parents", at: start) }
    if taskOfID[Int(id)] >= 0 {
      throw duplicate(
        id, at: start, firstPlace: "workflow.specification.tasks[\(taskOfID[Int(id)])]")
    }
    taskOfID[Int(id)] = task
    idOfTask.append(id)
  }

  private mutating func readParents(of task: Int32) throws(TaskGraphError) {
    scanner.codingPath.append(.key("parents"))
    try scanner.expect(UInt8(ascii: "["), "an array")
    var index = 0
    var first = true
    while try scanner.nextElement(first: &first) {
      scanner.codingPath.append(.index(index))
      try scanner.readString("the id of a task, a string")
      scanner.codingPath.removeLast()
      parentIDs.append(intern())
      children.append(task)
      index += 1
    }
    scanner.codingPath.removeLast()
  }

  private mutating func readExecution() throws(TaskGraphError) {
    var id: Int32?
    var duration: Int64?
    let start = (scanner.peek(), scanner.at).1
    try scanner.openObject()
    var first = true
    while try scanner.nextKey(first: &first) {
      if scanner.textIs("id") {
        if id != nil { throw repeated("id") }
        id = try readID()
      } else if scanner.textIs("runtimeInSeconds") {
        if duration != nil { throw repeated("runtimeInSeconds") }
        duration = try readDuration()
      } else {
        try scanner.skipValue()
      }
    }
    guard let id else { throw missing("id", at: start) }
    guard let duration else { throw missing("runtimeInSeconds", at: start) }
    if durationOfID[Int(id)] >= 0 { throw duplicate(id, at: start, firstPlace: "an earlier entry") }
    durationOfID[Int(id)] = duration
  }

  private mutating func readDuration() throws(TaskGraphError) -> Int64 {
    scanner.codingPath.append(.key("runtimeInSeconds"))
    let start = (scanner.peek(), scanner.at).1
    switch RecordedDuration.nanoseconds(seconds: try scanner.readNumber()) {
    case .success(let nanoseconds):
      scanner.codingPath.removeLast()
      return nanoseconds
    case .failure(let fault):
      throw scanner.failure(
        at: start, fault.finding, expected: RecordedDuration.expectation,
        remedy: "correct the measured run time")
    }
  }

  private mutating func readID() throws(TaskGraphError) -> Int32 {
    scanner.codingPath.append(.key("id"))
    try scanner.readString()
    scanner.codingPath.removeLast()
    return intern()
  }

  /// The number of the id in `scanner.text`.
  private mutating func intern() -> Int32 {
    let (id, isNew) = ids.intern(scanner.text[...])
    if isNew {
      taskOfID.append(-1)
      durationOfID.append(-1)
    }
    return Int32(id)
  }

  /// Notes that `key` was found, and makes it the place for messages.
  private mutating func enter(_ key: String, _ seen: inout Set<String>) throws(TaskGraphError) {
    if !seen.insert(key).inserted { throw repeated(key) }
    scanner.codingPath.append(.key(key))
  }
}

extension WfCommonsReader {
  private func missing(_ key: String, at offset: Int? = nil) -> TaskGraphError {
    scanner.failure(
      at: offset ?? max(scanner.at - 1, 0), "the key `\(key)` is missing",
      expected: "it in this object",
      remedy: "record the workflow with a tool that writes WfFormat 1.5 in full")
  }

  private func repeated(_ key: String) -> TaskGraphError {
    scanner.failure(
      "the key `\(key)` appears twice", expected: "it once", remedy: "remove one of them")
  }

  private func duplicate(_ id: Int32, at offset: Int, firstPlace: String) -> TaskGraphError {
    scanner.failure(
      at: offset, "the id `\(printable(ids.name(Int(id))))` is a duplicate of \(firstPlace)",
      expected: "every id once", remedy: "rename or remove one of the tasks")
  }

  /// Joins specification and execution.
  private func graph(path: String, stem: String) throws(TaskGraphError) -> TaskGraph {
    for (position, id) in parentIDs.enumerated() where taskOfID[Int(id)] < 0 {
      let task = children[position]
      var first = position
      while first > 0, children[first - 1] == task { first -= 1 }
      throw TaskGraphError(
        path: path,
        codingPath: "workflow.specification.tasks[\(task)].parents[\(position - first)]",
        finding: "the parent `\(printable(ids.name(Int(id))))` is no task of this file",
        expectation: "the id of a task", remedy: "add that task or remove the parent")
    }
    let parents = parentIDs.map { taskOfID[Int($0)] }
    let lists = DependencyLists(nodes: idOfTask.count, children: children, parents: parents)
    var tasks: [TaskGraph.Task] = []
    tasks.reserveCapacity(idOfTask.count)
    for (index, id) in idOfTask.enumerated() {
      if durationOfID[Int(id)] < 0 {
        throw TaskGraphError(
          path: path, codingPath: "workflow.specification.tasks[\(index)]",
          finding:
            "the task `\(printable(ids.name(Int(id))))` has no entry in workflow.execution.tasks",
          expectation: "a measured runtimeInSeconds for every task",
          remedy: "record the workflow's execution in full")
      }
      tasks.append(
        TaskGraph.Task(
          name: ids.name(Int(id)), durationNanoseconds: durationOfID[Int(id)],
          parents: Array(lists.parents(of: index))))
    }
    let unused = ids.count - tasks.count
    return try TaskGraph(
      name: workflowName.isEmpty ? stem : workflowName, source: .wfcommons, tasks: tasks,
      notes: unused == 0
        ? []
        : [
          "\(path): \(counted(unused, "measured id")) in workflow.execution.tasks match no task and are left out"
        ],
      path: path)
  }
}
