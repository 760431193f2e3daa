// SPDX-License-Identifier: Apache-2.0

import Foundation
import TaskGraphFiles

/// A folder of small files that disappears with the value.
final class TestFolder {
  let path: String

  init(_ files: [String: String] = [:]) throws {
    path =
      FileManager.default.temporaryDirectory.appending(path: "graphs-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, content) in files {
      try FileManager.default.createDirectory(
        atPath: (self[name] as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true)
      try Data(content.utf8).write(to: URL(filePath: self[name]))
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  subscript(name: String) -> String { path + "/" + name }
}

/// Parents by name, so that a test reads like the graph.
func parentNames(_ graph: TaskGraph) -> [String: Set<String>] {
  Dictionary(
    uniqueKeysWithValues: graph.tasks.map { task in
      (task.name, Set(task.parents.map { graph.tasks[Int($0)].name }))
    })
}

/// The error of a reading that must fail.
func failure(_ read: () throws(TaskGraphError) -> TaskGraph) -> TaskGraphError? {
  do {
    _ = try read()
    return nil
  } catch { return error }
}

/// A WfCommons file of format 1.5 around the text of two task arrays.
func workflow(_ specification: String, _ execution: String, version: String = "\"1.5\"") -> String {
  """
  {"name": "w", "schemaVersion": \(version), "workflow": {
  "specification": {"tasks": [\(specification)]},
  "execution": {"tasks": [\(execution)]}}}
  """
}

func readWorkflow(_ text: String) throws(TaskGraphError) -> TaskGraph {
  try TaskGraphFile.parse(Array(text.utf8), format: .wfcommons, path: "w.json")
}

func readDOT(_ text: String) throws(TaskGraphError) -> TaskGraph {
  try TaskGraphFile.parse(Array(text.utf8), format: .dot, path: "g.dot")
}

/// A Ninja build; log lines are written `start end output`.
func readNinja(
  _ manifest: String, log lines: [String], included: [String: String] = [:]
) throws(TaskGraphError) -> TaskGraph {
  let log = lines.map { line in
    let fields = line.split(separator: " ", maxSplits: 2)
    return "\(fields[0])\t\(fields[1])\t12345\t\(fields[2])\tabc\n"
  }
  return try TaskGraphFile.parseNinja(
    manifest: Array(manifest.utf8), log: Array(("# ninja log v5\n" + log.joined()).utf8),
    included: included.mapValues { Array($0.utf8) }, path: "b/build.ninja")
}
