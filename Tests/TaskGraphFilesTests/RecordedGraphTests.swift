// SPDX-License-Identifier: Apache-2.0

import Foundation
import TaskGraphFiles
import Testing
import Traces

/// The folder with recorded graphs: `BENCH_GRAPH_DATA`, else `../shared/data` beside the checkout.
private let recordedGraphs: String? = {
  let checkout = URL(filePath: #filePath).appending(path: "../../..").standardized
  let candidates: [String?] = [
    ProcessInfo.processInfo.environment["BENCH_GRAPH_DATA"],
    checkout.appending(path: "../shared/data").standardized.path,
  ]
  return candidates.compactMap { $0 }.first {
    FileManager.default.fileExists(atPath: $0 + "/wfcommons")
  }
}()

@Suite(
  .enabled(
    if: recordedGraphs != nil,
    "no recorded graphs: set BENCH_GRAPH_DATA to a folder with wfcommons and ninja"))
struct RecordedGraphTests {
  /// File, tasks, and what an ideal first-come-first-served schedule with two workers reaches at
  /// least and at most.
  @Test(arguments: [
    ("wfcommons/1000genome-chameleon-18ch-250k-001.json", 738, 0.96, 1),
    ("ninja/zstd", 102, 0.96, 1),
    ("wfcommons/airrflow-dirt02-001.json", 212, 0.96, 1),
    ("ninja/leveldb/build.ninja", 41, 0.96, 1),
    ("wfcommons/blast-chameleon-medium-001.json", 303, 0.96, 1), ("ninja/abseil", 185, 0.96, 1),
    ("wfcommons/bwa-chameleon-large-001.json", 1004, 0.885, 0.895),
    ("wfcommons/epigenomics-chameleon-ilmn-6seq-50k-001.json", 1695, 0.96, 1),
    ("wfcommons/montage-chameleon-2mass-05d-001.json", 1738, 0.96, 1),
    ("wfcommons/seismology-chameleon-600p-001.json", 601, 0.96, 1),
    ("wfcommons/soykb-chameleon-50fastq-10ch-001.json", 416, 0.865, 0.875),
    ("wfcommons/srasearch-chameleon-50a-003.json", 104, 0.96, 1),
  ])
  func recordedGraphsHaveTheKnownTasksAndIdealSchedule(
    file: String, tasks: Int, low: Double, high: Double
  ) throws {
    let graph = try TaskGraphFile.load(path: try #require(recordedGraphs) + "/" + file)
    #expect(graph.tasks.count == tasks)
    // Nobody builds every statement that CMake writes, and these builds ran in parallel.
    let findings =
      graph.source == .ninja
      ? ["have no line in the log and are left out", "tasks ran at a time on average"] : []
    #expect(graph.notes.count == findings.count)
    for (note, finding) in zip(graph.notes, findings) { #expect(note.contains(finding)) }
    let makespan = ListSchedule.makespan(
      durations: graph.tasks.map(\.durationNanoseconds), parents: graph.tasks.map(\.parents),
      workers: 2)
    let bound = max(Double(graph.totalWorkNanoseconds) / 2, Double(graph.criticalPathNanoseconds))
    #expect((low...high).contains(bound / Double(makespan)))
  }
}
