// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Reads task graphs from files.
package enum TaskGraphFile {
  /// Reads the graph at `path`: a WfCommons or DOT file, a Ninja manifest, or a folder with a `build.ninja`.
  ///
  /// The format follows from the name (`.json`; `.dot`, `.gv`; `.ninja`, a folder), else from the beginning of the
  /// file. Any thread. Time and memory are linear in the size of the files and the number of dependencies.
  package static func load(path: String) throws(TaskGraphError) -> TaskGraph {
    var file = path
    if FileBytes.kind(of: path) == .folder {
      file = path.hasSuffix("/") ? path + "build.ninja" : path + "/build.ninja"
      if FileBytes.kind(of: file) == .missing {
        throw TaskGraphError(
          path: path, finding: "this is a folder without a build.ninja",
          expectation: "a graph file, or a folder that Ninja has built in", remedy: "name a file")
      }
    }
    let bytes = try FileBytes.read(file)
    if bytes.isEmpty {
      throw TaskGraphError(
        path: file, finding: "the file is empty", expectation: "a task graph",
        remedy: "copy or record the file again")
    }
    guard let format = format(ofName: fileName(file)) ?? format(ofContent: bytes) else {
      throw TaskGraphError(
        path: file, line: 1, column: 1, finding: "this is no known kind of task graph",
        expectation: "WfCommons JSON, a Ninja manifest or Graphviz DOT",
        remedy:
          "give the file its usual ending (.json, .ninja, .dot or .gv) to see what is wrong with it"
      )
    }
    if format == .ninja { return try loadNinja(bytes, path: file) }
    return try parse(bytes, format: format, path: file)
  }

  /// Reads a WfCommons or DOT graph from memory; `path` serves for messages and the name.
  ///
  /// A Ninja manifest is read without any log and so fails; see `parseNinja`.
  package static func parse(_ bytes: [UInt8], format: TaskGraph.Format, path: String)
    throws(TaskGraphError) -> TaskGraph
  {
    switch format {
    case .wfcommons: return try WfCommonsReader.read(bytes, path: path, stem: stem(path))
    case .dot: return try DOTReader.read(bytes, path: path, stem: stem(path))
    case .ninja: return try parseNinja(manifest: bytes, log: [], path: path)
    }
  }

  /// Reads a Ninja manifest and log from memory; files that it includes are looked up in `included`.
  package static func parseNinja(
    manifest bytes: [UInt8], log: [UInt8], included: [String: [UInt8]] = [:], path: String
  ) throws(TaskGraphError) -> TaskGraph {
    let manifest = try NinjaManifestReader.read(bytes, path: path) { name throws(TaskGraphError) in
      if let bytes = included[name] { return bytes }
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
    let folder = folder(path)
    let manifest = try NinjaManifestReader.read(bytes, path: path) { name throws(TaskGraphError) in
      try FileBytes.read(name.hasPrefix("/") ? name : folder + name)
    }
    var logPath = folder + ".ninja_log"
    if FileBytes.kind(of: logPath) == .missing, !manifest.buildDirectory.isEmpty {
      let directory = manifest.buildDirectory
      logPath = (directory.hasPrefix("/") ? directory : folder + directory) + "/.ninja_log"
    }
    if FileBytes.kind(of: logPath) == .missing {
      throw TaskGraphError(
        path: logPath, finding: "the log of the build is missing",
        expectation: "it beside the manifest",
        remedy: "run ninja once in that folder, from scratch")
    }
    let log = try NinjaLog(try FileBytes.read(logPath), path: logPath, manifest: manifest)
    return try NinjaReader.read(
      manifest: manifest, log: log, path: path, logPath: logPath, name: stem(path))
  }

  /// The part of a path up to its last slash.
  private static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  private static func fileName(_ path: String) -> Substring { path.dropFirst(folder(path).count) }

  /// The file's name without its ending; for a `build.ninja` the name of its folder.
  private static func stem(_ path: String) -> String {
    let name = fileName(path)
    if name == "build.ninja", let parent = folder(path).split(separator: "/").last, parent != ".",
      parent != ".."
    {
      return String(parent)
    }
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return String(name) }
    return String(name[..<dot])
  }

  /// The format that a file name promises.
  static func format(ofName name: Substring) -> TaskGraph.Format? {
    let lower = name.lowercased()
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
