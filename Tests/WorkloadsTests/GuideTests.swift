// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Scheduling
import Testing

@testable import Workloads

/// The page for authors of workloads, `Adding.md`, and the workload that it shows.
@Suite struct GuideTests {
  @Test func thePageShowsThisWorkloadWordForWord() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let page = try String(
      contentsOf: tests.appending(path: "../../Benchmarks/Workloads/Workloads.docc/Adding.md"),
      encoding: .utf8)
    let source = try String(contentsOf: tests.appending(path: "Diamonds.swift"), encoding: .utf8)
    // The file of the page lies in the room and says who may see what it imports.
    let file = source.replacing("\n@testable import Workloads\n", with: "")
    #expect(file.count < source.count)
    let shown = page.replacing(/(package|internal) import/, with: "import")
    #expect(shown.contains("```swift\n\(file)```\n"))
    #expect(page.components(separatedBy: "```swift\n").count == 2)
  }

  @Test(arguments: TestScheduler.allCases)
  func theWorkloadOfThePageGivesItsAnswer(kind: TestScheduler) throws {
    let description = WorkloadDescription.diamonds
    let workload = try description.make(description.parameters(at: .smoke))
    #expect(workload.operationsPerIteration == 200)
    let scheduler = kind.make(workers: 2)
    defer { scheduler.shutDown() }
    for _ in 0..<3 {
      var recorder = IterationRecorder()
      try workload.iterate(on: scheduler, recorder: &recorder)
      #expect(recorder.sample(operations: workload.operationsPerIteration) != nil)
    }
  }

  @Test func theWorkloadOfThePageFindsLostJobs() throws {
    let workload = try Diamonds(count: 50)
    var recorder = IterationRecorder()
    TimedIteration.$patience.withValue(.milliseconds(50)) {
      #expect(throws: WrongAnswer.self) {
        try workload.iterate(on: LosingScheduler(keeping: 2), recorder: &recorder)
      }
    }
  }
}
