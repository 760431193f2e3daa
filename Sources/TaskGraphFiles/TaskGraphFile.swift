// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Traces

/// Reads task graphs from files.
package enum TaskGraphFile {
  /// Reads the graph at `path`: a file of our own form, WfCommons or DOT, a recording, a Ninja
  /// manifest or log, or a folder with a `build.ninja`.
  ///
  /// The format follows from the name (`.csv`; `.json`; `.dot`, `.gv`; `.ninja`, `.ninja_log`, a
  /// folder), else from the beginning of the file. Any thread. Time and memory are linear in the
  /// size of the files and the number of dependencies.
  package static func load(path: String) throws(TaskGraphError) -> TaskGraph {
    let file = try file(at: path)
    return try graph(try FileBytes.read(file), of: file)
  }

  /// The graph in the bytes of a file.
  static func graph(_ bytes: [UInt8], of file: String) throws(TaskGraphError) -> TaskGraph {
    let format = try format(of: bytes, name: fileName(file), path: file)
    if format == .ninja { return try loadNinja(bytes, path: file) }
    return try parse(bytes, format: format, path: file)
  }

  /// Reads a graph that came through a pipe and now lies in the file at `path`; `name` stands for
  /// it in messages.
  ///
  /// The format follows from the beginning. A Ninja manifest is refused: its log is another file.
  package static func load(piped path: String, name: String) throws(TaskGraphError) -> TaskGraph {
    let bytes = try FileBytes.read(path)
    let format = try format(of: bytes, name: "", path: name)
    if format == .ninja {
      throw TaskGraphError(
        path: name, finding: "this is a Ninja manifest, which does not say how long anything took",
        expectation: "our CSV, WfCommons JSON or Graphviz DOT",
        remedy: "name the folder of the build, where its log lies too")
    }
    return try parse(bytes, format: format, path: name)
  }

  /// What two paths of one graph have in common: the file that they mean, links followed.
  package static func identity(of path: String) throws(TaskGraphError) -> String {
    FileBytes.identity(try file(at: path))
  }

  private static func format(of bytes: [UInt8], name: Substring, path: String)
    throws(TaskGraphError) -> TaskGraph.Format
  {
    if bytes.isEmpty {
      throw TaskGraphError(
        path: path, finding: "the file is empty", expectation: "a task graph",
        remedy: "copy or record the file again")
    }
    // A recording is one under any name: no other format begins like it.
    if TraceFile.isTrace(bytes) { return .trace }
    if let format = format(ofName: name) ?? format(ofContent: bytes) { return format }
    throw TaskGraphError(
      path: path, line: 1, column: 1, finding: "this is no known kind of task graph",
      expectation: "our CSV, WfCommons JSON, a Ninja manifest, Graphviz DOT or a recording",
      remedy:
        "save it under its usual ending (.csv, .json, .ninja, .dot or .gv) to see what is wrong "
        + "with it"
    )
  }

  /// Reads a graph of our own form, WfCommons or DOT or a recording from memory; `path` serves for
  /// messages and the name.
  ///
  /// A Ninja manifest is read without any log and so fails; see `parseNinja`.
  package static func parse(_ bytes: [UInt8], format: TaskGraph.Format, path: String)
    throws(TaskGraphError) -> TaskGraph
  {
    switch format {
    case .wfcommons: return try WfCommonsReader.read(bytes, path: path, stem: stem(path))
    case .csv: return try GraphCSVReader.read(bytes, path: path, stem: stem(path))
    case .dot: return try DOTReader.read(bytes, path: path, stem: stem(path))
    case .ninja: return try parseNinja(manifest: bytes, log: [], path: path)
    case .trace: return try TraceGraphReader.read(bytes, path: path, stem: stem(path))
    }
  }

  /// Reads a Ninja manifest and log from memory; files that it includes are looked up in
  /// `included`.
  package static func parseNinja(
    manifest bytes: [UInt8], log: [UInt8], included: [String: [UInt8]] = [:], path: String
  ) throws(TaskGraphError) -> TaskGraph {
    let manifest = try NinjaManifestReader.read(bytes, path: path, identity: String(fileName(path)))
    {
      name throws(TaskGraphError) in
      if let bytes = included[name] { return (name, bytes) }
      throw TaskGraphError(
        path: name, finding: "the file does not exist", expectation: "the included file",
        remedy: "provide it")
    }
    let logPath = folder(path) + ".ninja_log"
    let entries = try NinjaLog(log, path: logPath, manifest: manifest)
    return try NinjaReader.read(
      manifest: manifest, log: entries, path: path, logPath: logPath, name: stem(path))
  }

  private static func loadNinja(_ bytes: [UInt8], path: String) throws(TaskGraphError) -> TaskGraph
  {
    let build = try NinjaBuild(manifest: bytes, at: path, in: folder(path))
    var logPath = folder(path) + ".ninja_log"
    if FileBytes.kind(of: logPath) == .missing { logPath = build.logPath }
    if FileBytes.kind(of: logPath) == .missing {
      throw TaskGraphError(
        path: logPath, finding: "the log of the build is missing",
        expectation: "it beside the manifest",
        remedy: "run ninja once in that folder, from scratch")
    }
    return try build.graph(log: try FileBytes.read(logPath), at: logPath)
  }

  /// The part of a path up to its last slash.
  static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  static func fileName(_ path: String) -> Substring { path.dropFirst(folder(path).count) }

  static func stem(_ path: String) -> String { names(of: path).last ?? "graph" }

  /// What tells a graph file from others: its folders from the root on, then its name without the
  /// ending.
  ///
  /// A `build.ninja` goes by its folder's name, since all of them are called alike.
  package static func names(of file: String) -> [String] {
    var canonical = NinjaPath()
    let start = file.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
    canonical.canonicalize(Array((start + file).utf8))
    var names = String(decoding: canonical.bytes, as: UTF8.self).split(separator: "/")
    guard let name = names.popLast() else { return [] }
    if name == "build.ninja", !names.isEmpty { return names.map(String.init) }
    if let dot = name.lastIndex(of: "."), dot > name.startIndex {
      names.append(name[..<dot])
    } else {
      names.append(name)
    }
    return names.map(String.init)
  }

  /// The format that a file name promises.
  static func format(ofName name: Substring) -> TaskGraph.Format? {
    let lower = name.lowercased()
    if lower.hasSuffix(".csv") { return .csv }
    if lower.hasSuffix(".json") { return .wfcommons }
    if lower.hasSuffix(".ninja") { return .ninja }
    return lower.hasSuffix(".dot") || lower.hasSuffix(".gv") ? .dot : nil
  }

  /// The format that a file's beginning suggests.
  ///
  /// O(leading comments).
  static func format(ofContent bytes: [UInt8]) -> TaskGraph.Format? {
    var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let source = SourceText(path: "", bytes: bytes)
    while at < bytes.count {
      if bytes[at] <= 0x20 {
        at += 1
      } else if bytes[at] == UInt8(ascii: "#")
        || (bytes[at] == UInt8(ascii: "/") && source[at + 1] == bytes[at])
      {
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
      } else {
        break
      }
    }
    if source[at] == UInt8(ascii: "{") { return .wfcommons }
    if bytes[at...].starts(with: GraphCSVReader.columns.utf8) { return .csv }
    if source[at] == UInt8(ascii: "/"), source[at + 1] == UInt8(ascii: "*") { return .dot }
    let word = String(
      decoding: bytes[at...].prefix(80).prefix { $0 != 0x20 && $0 != 0x0A && $0 != 0x7B },
      as: UTF8.self)
    if ["strict", "digraph", "graph"].contains(word.lowercased()) { return .dot }
    let statements = [
      "build", "rule", "pool", "default", "include", "subninja", "ninja_required_version",
      "builddir",
    ]
    return statements.contains(word) ? .ninja : nil
  }
}
