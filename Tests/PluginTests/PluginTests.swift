// SPDX-License-Identifier: Apache-2.0

import Foundation
import Results
import Testing

/// Packages of users, built exactly as README.md shows them.
@Suite(
  .serialized, .timeLimit(.minutes(15)),
  .enabled(
    if: ProcessInfo.processInfo.environment["BENCH_PLUGIN_TEST"] == "1",
    "builds this package again, for minutes; BENCH_PLUGIN_TEST=1 includes it"))
struct PluginTests {
  @Test func schedulerOfAnotherPackageIsMeasuredBesideOurs() throws {
    let readMe = try ReadMe()
    let package = try UserPackage(
      name: "mine",
      files: [
        "Package.swift": readMe.block(after: "`mine/Package.swift`"),
        "Sources/mine/Mine.swift": readMe.block(after: "`mine/Sources/mine/Mine.swift`"),
      ])
    let program = try package.build(product: "mine")
    let file = package.root.appending(path: "figures.csv").path()
    let run = try package.run(
      program,
      ["--quick", "--scheduler", "mine,inline", "--filter", "chain", "--processes", "1"]
        + ["--format", "csv", "--output", file])
    #expect(run.status == 0, "\(run.errors)")

    let shown = try CSV.decode(Array(run.output.utf8), path: "stdout")
    let written = try CSV.decode(Array(Data(contentsOf: URL(filePath: file))), path: file)
    #expect(shown == written)
    for scheduler in ["mine", "inline"] {
      let walls = written.filter {
        $0.subject.scheduler == scheduler && $0.subject.benchmark == "chain"
          && $0.subject.metric == .wall && $0.subject.statistic == .p50 && $0.process == nil
      }
      #expect(walls.count == 1)
      #expect(walls.allSatisfy { ($0.value ?? 0) > 0 }, "\(walls)")
    }
  }

  @Test func knobsOfAnotherPackagesSchedulerAreSwept() throws {
    let readMe = try ReadMe()
    let plain = try readMe.block(after: "`mine/Sources/mine/Mine.swift`")
    let scheduler = String(try #require(plain.split(separator: "@main").first))
    let package = try UserPackage(
      name: "tuned",
      files: [
        "Package.swift": readMe.block(after: "`mine/Package.swift`")
          .replacing("\"mine\"", with: "\"tuned\""),
        "Sources/tuned/Tuned.swift": scheduler + Self.mainWithKnobs,
      ])
    let program = try package.build(product: "tuned")
    let list = try package.run(program, ["list"])
    #expect(list.output.contains("    depth=1             of the tests; deep or 1 to 9"))

    let chosen = ["--scheduler", "tuned,inline", "--filter", "chain", "--quick"]
    let file = package.root.appending(path: "figures.csv").path()
    let run = try package.run(
      program,
      chosen + ["--where", "depth=3,deep", "--processes", "1", "--output", file])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("tuned depth=3") && run.output.contains("tuned depth=deep"))
    let rows = try CSV.decode(Array(Data(contentsOf: URL(filePath: file))), path: file)
    let depths = Set(rows.map { "\($0.subject.scheduler) \($0.subject.params["depth"] ?? "")" })
    #expect(depths == ["tuned 3", "tuned deep", "inline "])

    let refused = try package.run(program, chosen + ["--where", "depth=10"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("expected deep or 1 to 9"))
  }

  /// Fails unless it gets one of the values that the test sweeps.
  private static let mainWithKnobs = """
    @main struct Tuned {
      static func main() {
        let depth = SchedulerKnob(
          name: "depth", summary: "of the tests", numbers: 1...9, words: ["deep"], default: 1)
        BenchmarkSuite.main(tunable: [
          TunableScheduler(name: "tuned", knobs: [depth]) { workers, settings in
            guard let depth = settings["depth"], depth == 3 || depth == "deep" else {
              fatalError("settings \\(settings)")
            }
            return MyScheduler(workers: workers)
          }
        ])
      }
    }

    """

  @Test func programsOfTheReadMeCompileAndRun() throws {
    let readMe = try ReadMe()
    let package = try UserPackage(
      name: "programs",
      files: [
        "Package.swift": Self.programsManifest,
        "Sources/total/Total.swift": readMe.block(after: "`total/Sources/total/Total.swift`"),
        "Sources/total/Aliases.swift": readMe.block(after: "which you mean:"),
        "Sources/total/Both.swift": Self.fileWithBothImports,
        "Sources/ported/Ported.swift": Self.portedProgram,
        "Sources/check/main.swift": readMe.block(after: "`check/Sources/check/main.swift`"),
        "Sources/check/DrowsyScheduler.swift": readMe.block(
          after: "`check/Sources/check/DrowsyScheduler.swift`"),
      ])
    let total = try package.run(try package.build(product: "total"))
    #expect(total.output == "sum: 5050\n", "status \(total.status): \(total.errors)")
    let ported = try package.run(try package.build(product: "ported"))
    #expect(ported.output == "done 2\n", "status \(ported.status): \(ported.errors)")
    let check = try package.run(try package.build(product: "check"))
    #expect(check.status == 1)
    // On a loaded machine the worker sleeps already between the submissions of an earlier check, which finds the same fault.
    let findings = [
      "FAILED seam .wakeUp: a submission to an idle scheduler is noticed",
      "FAILED seam .exactlyOnce: every submitted job runs exactly once",
    ]
    #expect(findings.contains { check.output.contains($0) }, "\(check.output) \(check.errors)")
  }

  private static let programsManifest = """
    // swift-tools-version: 6.2
    import PackageDescription

    func ours(_ product: String) -> Target.Dependency {
      .product(name: product, package: "scheduler-bench")
    }

    let package = Package(
      name: "programs",
      dependencies: [.package(path: "../scheduler-bench")],
      targets: [
        .executableTarget(
          name: "total", dependencies: [ours("Operations"), ours("WorkStealingBackend")]),
        .executableTarget(
          name: "check", dependencies: [ours("SchedulerConformance"), ours("Scheduling")]),
        .executableTarget(name: "ported", dependencies: [ours("OperationsFoundation")]),
      ]
    )

    """

  /// Compiles only if the aliases decide which operation is meant.
  private static let fileWithBothImports = """
    import Foundation
    import Operations

    func makesOurs() -> Operations.Operation {
      let operation: Operation = BlockOperation {}
      return operation
    }

    """

  /// Written for Foundation, but for the import.
  private static let portedProgram = """
    import OperationsFoundation

    final class Download: Operation, @unchecked Sendable {
      var data = Data()
      override func main() { data = Data([1, 2]) }
    }

    let queue = OperationQueue()
    let download = Download()
    let report = BlockOperation { print("done", download.data.count) }
    report.addDependency(download)
    queue.addOperations([report, download], waitUntilFinished: true)

    """
}
