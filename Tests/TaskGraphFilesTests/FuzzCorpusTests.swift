// SPDX-License-Identifier: Apache-2.0

import Foundation
import TaskGraphFiles
import Testing

/// Replays what the fuzzers start from: hand-made graphs and the inputs that fuzzing found to reach
/// the most code.
@Suite struct FuzzCorpusTests {
  /// The seeds of a reader, one file each, and its finds, one base64 line each.
  private static func inputs(_ reader: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = URL(filePath: #filePath).appending(path: "../../Fuzzing").standardized
    let seeds = folder.appending(path: "Seeds/\(reader)")
    var inputs: [(name: String, bytes: [UInt8])] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: seeds.path).sorted() {
      inputs.append((name, [UInt8](try Data(contentsOf: seeds.appending(path: name)))))
    }
    let finds = try String(
      contentsOf: folder.appending(path: "Finds/\(reader).base64"), encoding: .utf8)
    for (line, text) in finds.split(separator: "\n").enumerated() {
      inputs.append(("find \(line + 1)", [UInt8](try #require(Data(base64Encoded: String(text))))))
    }
    return inputs
  }

  @Test(arguments: ["WfCommons", "DOT", "Ninja"])
  func everyCorpusInputGivesASoundGraphOrACompleteError(reader: String) throws {
    let inputs = try Self.inputs(reader)
    #expect(inputs.count > 50)
    var graphs = 0
    for (name, bytes) in inputs {
      do {
        try expectSound(try Self.read(reader, bytes), name)
        graphs += 1
      } catch let error as TaskGraphError {
        #expect(
          !error.finding.isEmpty && !error.expectation.isEmpty && !error.remedy.isEmpty, "\(name)")
        #expect((error.line ?? 1) >= 1 && (error.column ?? 1) >= 1, "\(name)")
      }
    }
    #expect(graphs >= 1 && graphs < inputs.count, "\(graphs) of \(inputs.count) inputs are graphs")
  }

  private static func read(_ reader: String, _ bytes: [UInt8]) throws -> TaskGraph {
    if reader != "Ninja" {
      return try TaskGraphFile.parse(
        bytes, format: reader == "DOT" ? .dot : .wfcommons, path: "seed")
    }
    let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
      Array($0)
    }
    return try TaskGraphFile.parseNinja(
      manifest: parts[0], log: parts.count > 1 ? parts[1] : [],
      included: parts.count > 2 ? ["rules.ninja": parts[2]] : [:], path: "seed/build.ninja")
  }

  private func expectSound(_ graph: TaskGraph, _ name: String) throws {
    var place = Array(repeating: -1, count: graph.tasks.count)
    for (position, task) in graph.topologicalOrder().enumerated() { place[task] = position }
    for (index, task) in graph.tasks.enumerated() {
      #expect(place[index] >= 0 && task.durationNanoseconds >= 0, "\(name)")
      #expect(Set(task.parents).count == task.parents.count, "\(name)")
      #expect(task.parents.allSatisfy { place[Int($0)] < place[index] }, "\(name)")
    }
    #expect(
      !graph.tasks.isEmpty && graph.criticalPathNanoseconds <= graph.totalWorkNanoseconds, "\(name)"
    )
  }
}
