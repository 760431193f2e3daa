// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Measurement
import Testing
import Workloads

@testable import BenchmarkCLI

/// The suites that are part of the program, as they lie in its sources.
struct ShippedSuiteTests {
  private static let benchmarks = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Benchmarks")
  private static let folder = benchmarks.appending(path: "BenchmarkKit/Suites")

  private static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? [])
    .map { String($0.dropLast(".json".count)) }.sorted()

  @Test func allAreThere() {
    #expect(
      Set(Self.names).isSuperset(of: ["quick", "default", "full", "ci", "priority", "cancellation"])
    )
  }

  @Test(arguments: names)
  func eachHasAPlanThatTakesTheTimeItStates(name: String) throws {
    let plan = try Self.plan(name, cpuCount: 2)
    #expect(!plan.groups.isEmpty)
    let expected = try #require(try Self.shelf(name).all().first).expected
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

  @Test(arguments: ["strong-scaling", "weak-scaling"])
  func scalingDoublesUpToAllProcessors(name: String) throws {
    let counts = Set(try Self.plan(name, cpuCount: 12).groups.map(\.workers))
    #expect(counts == [1, 2, 4, 8, 12])
  }

  private static func shelf(_ name: String) throws -> SuiteShelf {
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "\(name).json")))
    return SuiteShelf([ShippedSelection(name: name, bytes: bytes, folder: benchmarks.path)])
  }

  /// What the suite measures on so many processors, with the schedulers that are built in.
  private static func plan(_ name: String, cpuCount: Int) throws -> MeasurementPlan {
    let parser = ArgumentParser(
      workloadNames: WorkloadCatalog.all.map(\.name), suites: try shelf(name), cpuCount: cpuCount)
    let request = try RunRequest(try parser.parse(["run", "--suite", name]))
    let schedulers = ["dispatch", "thread-pool", "work-stealing", "inline"].map { name in
      SchedulerEntry(name: name, summary: "", fixedWorkers: name == "inline" ? 1 : nil) { _ in
        fatalError("not run")
      }
    }
    let suite = Suite(schedulers: schedulers, workloads: WorkloadCatalog.all)
    return try Planner(suite: suite, request: request.measurement, cpuCount: cpuCount)
      .plan(freshSeed: 1)
  }
}
