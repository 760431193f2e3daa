// SPDX-License-Identifier: Apache-2.0

import Foundation
import Results
import Testing

/// Programs of users, exactly as the guides show them, and a few more.
///
/// All are in one package, whose manifest begins with the one for a scheduler: our rooms are
/// compiled once for them.
@Suite(
  .serialized, .timeLimit(.minutes(15)),
  .enabled(
    if: ProcessInfo.processInfo.environment["BENCH_PLUGIN_TEST"] == "1",
    "builds this package again, for minutes; BENCH_PLUGIN_TEST=1 includes it"))
struct PluginTests {
  /// How to add a scheduler.
  private static let adding = Result { try Page("Sources/Scheduling/Scheduling.docc/Adding.md") }
  /// How to check one.
  private static let checking = Result {
    try Page("Sources/SchedulerConformance/SchedulerConformance.docc/Checking.md")
  }
  /// How to use operations.
  private static let starting = Result {
    try Page("Sources/Operations/Operations.docc/Starting.md")
  }

  /// How to add a workload.
  private static let ownWorkload = Result {
    try Page("Benchmarks/BenchmarkKit/BenchmarkKit.docc/OwnWorkload.md")
  }

  /// The package, built by the first test.
  private static let built = Result {
    let adding = try PluginTests.adding.get()
    let checking = try PluginTests.checking.get()
    let starting = try PluginTests.starting.get()
    let scheduler = try adding.block(after: "`mine/Sources/mine/Mine.swift`")
    guard let withoutMain = scheduler.split(separator: "@main").first else {
      throw UserPackage.Failure(description: "Adding.md: the scheduler has no @main")
    }
    let package = try UserPackage(
      name: "mine",
      files: [
        "Package.swift": adding.block(after: "`mine/Package.swift`") + furtherTargets,
        "Sources/mine/Mine.swift": scheduler,
        "Sources/tuned/Tuned.swift": String(withoutMain) + mainWithKnobs,
        "Sources/earlier/Earlier.swift": EarlierPlugin.source,
        "Sources/pairs/main.swift": pairs(),
        "Sources/total/Total.swift": starting.block(after: "`total/Sources/total/Total.swift`"),
        "Sources/total/Aliases.swift": starting.block(after: "`total/Sources/total/Aliases.swift`"),
        "Sources/total/Both.swift": fileWithBothImports,
        "Sources/ported/main.swift": starting.block(after: "`ported/Sources/ported/main.swift`"),
        "Sources/check/main.swift": checking.block(after: "`check/Sources/check/main.swift`"),
        "Sources/check/DrowsyScheduler.swift": checking.block(
          after: "`check/Sources/check/DrowsyScheduler.swift`"),
      ])
    try package.build()
    return package
  }

  /// What the pages show is in the package above, but for two manifests.
  @Test func everyBlockOfTheGuidesIsTaken() throws {
    #expect(try Self.adding.get().blocks == 2)
    #expect(try Self.checking.get().blocks == 3)
    #expect(try Self.starting.get().blocks == 4)
    #expect(try Self.ownWorkload.get().blocks == 2)
  }

  @Test(arguments: ["check", "ported", "pairs"])
  func manifestsOfTheGuidesResolve(name: String) throws {
    let pages = ["check": Self.checking, "ported": Self.starting, "pairs": Self.ownWorkload]
    let page = try #require(pages[name]).get()
    let package = try UserPackage(
      name: name,
      files: [
        "Package.swift": page.block(after: "`\(name)/Package.swift`"),
        "Sources/\(name)/main.swift": "",
      ])
    try package.resolve()
  }

  @Test func schedulerOfAnotherPackageIsMeasuredBesideOurs() throws {
    let package = try Self.built.get()
    let file = package.root.appending(path: "figures.csv").path()
    let run = try package.run(
      "mine",
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

  /// The program of the page on workloads.
  private static func pairs() throws -> String {
    try ownWorkload.get().block(after: "`pairs/Sources/pairs/main.swift`")
  }

  @Test func workloadOfAnotherPackageIsMeasuredListedAndChecked() throws {
    let package = try Self.built.get()
    let file = package.root.appending(path: "pairs.csv").path()
    let chosen = ["pairs", "--quick", "--scheduler", "work-stealing,inline", "--processes", "1"]
    let run = try package.run(
      "pairs", chosen + ["--where", "pairs=10,1000", "--output", file])
    #expect(run.status == 0, "\(run.errors)")
    let rows = try CSV.decode(Array(Data(contentsOf: URL(filePath: file))), path: file)
    for size in ["10", "1000"] {
      let walls = rows.filter {
        $0.subject.benchmark == "pairs" && $0.subject.params["pairs"]?.description == size
          && $0.subject.metric == .wall && $0.subject.statistic == .p50 && $0.process == nil
      }
      #expect(Set(walls.map(\.subject.scheduler)) == ["work-stealing", "inline"])
      #expect(walls.allSatisfy { ($0.value ?? 0) > 0 }, "\(walls)")
    }
    let list = try package.run("pairs", ["list"])
    #expect(list.output.contains("one waits for another"), "\(list.output)")
    #expect(list.output.contains("wavefront"))
    // The references are not in this program; the message says where they are.
    let refused = try package.run("pairs", ["chain", "--reference", "foundation"])
    #expect(refused.status == 64 && refused.errors.contains("BenchmarkSuite"), "\(refused.errors)")
  }

  @Test func aChangedLineOfAWorkloadIsMeasuredAfterOneBuild() throws {
    let package = try Self.built.get()
    let changed = try Self.pairs().replacing("missing == 0", with: "missing == 1")
    try package.write("Sources/pairs/main.swift", changed)
    let begin = ContinuousClock.now
    try package.build("--product", "pairs")
    let run = try package.run(
      "pairs", ["pairs", "--quick", "--scheduler", "inline", "--processes", "1"])
    print("a changed line was measured after \(ContinuousClock.now - begin)")
    #expect(run.status == 1)
    #expect((run.output + run.errors).contains("pairs: the sum lacks 0"), "\(run)")
    try package.write("Sources/pairs/main.swift", Self.pairs())
    try package.build("--product", "pairs")
  }

  /// With forks and graphs, whose part of the seam these schedulers do not name.
  @Test func schedulersWrittenForTheUndividedSeamStillRun() throws {
    let package = try Self.built.get()
    let file = package.root.appending(path: "earlier.csv").path()
    let run = try package.run(
      "earlier",
      ["chain", "fork-join", "fork-join-stack", "graph-chain", "--quick", "--processes", "1"]
        + ["--scheduler", "mine,whole", "--output", file])
    #expect(run.status == 0, "\(run.errors)")
    let rows = try CSV.decode(Array(Data(contentsOf: URL(filePath: file))), path: file)
    for scheduler in ["mine", "whole"] {
      let measured = Set(rows.filter { $0.subject.scheduler == scheduler }.map(\.subject.benchmark))
      #expect(measured == ["chain", "fork-join", "fork-join-stack", "graph-chain"])
    }
  }

  @Test func knobsOfAnotherPackagesSchedulerAreSwept() throws {
    let package = try Self.built.get()
    let list = try package.run("tuned", ["list"])
    #expect(list.output.contains("    stack=1             of the tests; deep or 1 to 9"))

    let chosen = ["--scheduler", "tuned,inline", "--filter", "chain", "--quick"]
    let file = package.root.appending(path: "knobs.csv").path()
    let run = try package.run(
      "tuned",
      chosen + ["--where", "stack=3,deep", "--processes", "1", "--output", file])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("tuned stack=3") && run.output.contains("tuned stack=deep"))
    let rows = try CSV.decode(Array(Data(contentsOf: URL(filePath: file))), path: file)
    let stacks = Set(rows.map { "\($0.subject.scheduler) \($0.subject.params["stack"] ?? "")" })
    #expect(stacks == ["tuned 3", "tuned deep", "inline "])

    let refused = try package.run("tuned", chosen + ["--where", "stack=10"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("expected deep or 1 to 9"))
  }

  /// Fails unless it gets one of the values that the test sweeps.
  private static let mainWithKnobs = """
    @main struct Tuned {
      static func main() {
        let stack = SchedulerKnob(
          name: "stack", summary: "of the tests", numbers: 1...9, words: ["deep"], default: 1)
        Benchmarks.main(tunable: [
          TunableScheduler(name: "tuned", knobs: [stack]) { workers, settings in
            guard let stack = settings["stack"], stack == 3 || stack == "deep" else {
              fatalError("settings \\(settings)")
            }
            return MyScheduler(workers: workers)
          }
        ])
      }
    }

    """

  @Test func programsOfTheGuidesCompileAndRun() throws {
    let package = try Self.built.get()
    let total = try package.run("total")
    #expect(total.output == "sum: 5050\n", "status \(total.status): \(total.errors)")
    let ported = try package.run("ported")
    #expect(ported.output == "done 2\n", "status \(ported.status): \(ported.errors)")
    let check = try package.run("check")
    #expect(check.status == 1)
    // On a loaded machine the worker sleeps already between the submissions of an earlier check,
    // which finds the same fault.
    let findings = [
      "FAILED seam .wakeUp: a submission to an idle scheduler is noticed",
      "FAILED seam .exactlyOnce: every submitted job runs exactly once",
    ]
    #expect(findings.contains { check.output.contains($0) }, "\(check.output) \(check.errors)")
  }

  /// What follows the manifest of the page.
  private static let furtherTargets = """

    func ours(_ product: String) -> Target.Dependency {
      .product(name: product, package: "scheduler-bench")
    }

    package.targets += [
      .executableTarget(name: "tuned", dependencies: package.targets[0].dependencies),
      .executableTarget(
        name: "earlier",
        dependencies: [ours("BenchmarkSuite"), ours("Scheduling"), ours("WorkStealingBackend")]),
      .executableTarget(
        name: "pairs", dependencies: [ours("BenchmarkKit"), ours("Operations"), ours("Scheduling")]),
      .executableTarget(
        name: "total", dependencies: [ours("Operations"), ours("WorkStealingBackend")]),
      .executableTarget(
        name: "check", dependencies: [ours("SchedulerConformance"), ours("Scheduling")]),
      .executableTarget(name: "ported", dependencies: [ours("OperationsFoundation")]),
    ]

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
}
