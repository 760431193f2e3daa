// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Measurement
import Testing
import Workloads

@testable import BenchmarkCLI

/// The suites that are part of the program, as they lie in its sources.
struct ShippedSuiteTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Benchmarks/BenchmarkKit/Suites")

  private static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? [])
    .map { String($0.dropLast(".json".count)) }.sorted()

  @Test func allAreThere() {
    #expect(
      Set(Self.names).isSuperset(of: ["quick", "default", "full", "ci", "priority", "cancellation"])
    )
  }

  @Test(arguments: names, [2, 128])
  func eachHasAPlanThatTakesTheTimeItStates(name: String, cpuCount: Int) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: "\(name).json")))
    let shelf = SuiteShelf([ShippedSelection(name: name, bytes: bytes)])
    let parser = ArgumentParser(
      workloadNames: WorkloadCatalog.all.map(\.name), suites: shelf, cpuCount: cpuCount)
    let request = try RunRequest(try parser.parse(["run", "--suite", name]))
    let schedulers = ["dispatch", "thread-pool", "work-stealing", "inline"].map { name in
      SchedulerEntry(name: name, summary: "", fixedWorkers: name == "inline" ? 1 : nil) { _ in
        fatalError("not run")
      }
    }
    let suite = Suite(schedulers: schedulers, workloads: WorkloadCatalog.all)
    let plan = try Planner(suite: suite, request: request.measurement, cpuCount: cpuCount)
      .plan(freshSeed: 1)
    #expect(!plan.groups.isEmpty)
    guard cpuCount == 2 else { return }
    let expected = try #require(try shelf.all().first).expected
    let stated = try OptionTable.options(of: .run).first { $0.name == .budget }?
      .value(of: expected, place: "expected")
    guard case .duration(let duration)? = stated else {
      Issue.record("\(expected) is no time")
      return
    }
    let seconds = Double(duration.components.seconds)
    let estimate = PlanEstimate(plan: plan).seconds
    #expect((0.5 * seconds...1.25 * seconds).contains(estimate), "\(name): \(estimate) s")
  }
}
