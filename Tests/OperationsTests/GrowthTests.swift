// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation
import TestSupport
import Testing

extension OperationLayer {
  /// What one call costs while many of a kind are there, in instructions.
  ///
  /// The cases are those of `scripts/costs`, which has many more, counts release builds and asks
  /// every scheduler; one thread is enough for what the operation layer costs.
  @Suite(
    .contract(134),
    .enabled(if: Callgrind.isThere, "needs valgrind: scripts/install-packages --counts"),
    .enabled(if: Sanitizer.active == nil, "valgrind runs no program with a sanitizer"))
  struct GrowthTests {
    /// Expects that an item costs as much, from its beginning to its end, among four times `items`
    /// as among twice.
    ///
    /// A quadratic cost would be twice as much per item. Counts are exact but for threads that fall
    /// asleep in one process and not in another.
    private func expectConstantItem(
      _ name: String, items: Int = 500,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try expect(
        "an item of \(name)", count: items, sourceLocation,
        arguments: [items, 2 * items, 4 * items].map { [Kind.inline.name, name, "\($0)", "0"] }
      ) { ($0[1] - $0[0], ($0[2] - $0[1]) / 2) }
    }

    /// Expects that a call costs as much beside two thousand as beside five hundred.
    private func expectConstantCall(
      _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let calls = 250
      try expect(
        "a call of \(name)", count: calls, sourceLocation,
        arguments: [(500, calls), (500, 2 * calls), (2_000, calls), (2_000, 2 * calls)]
          .map { [Kind.inline.name, name, "\($0.0)", "\($0.1)"] }
      ) { ($0[1] - $0[0], $0[3] - $0[2]) }
    }

    /// Expects that `costs`, of `count` with few and of as many with many, differ by no more than a
    /// fifth.
    ///
    /// A thread that spins before it sleeps only adds: what seems too much is counted again, and
    /// the least counts.
    private func expect(
      _ what: String, count: Int, _ sourceLocation: SourceLocation, arguments: [[String]],
      _ costs: ([Int]) -> (few: Int, many: Int)
    ) throws {
      var least = arguments.map { _ in Int.max }
      for _ in 0..<3 {
        least = zip(least, try Callgrind.instructions(of: arguments)).map { min($0, $1) }
        let (few, many) = costs(least)
        if many * 10 <= few * 12 + 10 * Self.noise { return }
      }
      let (few, many) = costs(least)
      Issue.record(
        "\(what): \(many / count) instructions, \(few / count) among fewer",
        sourceLocation: sourceLocation)
    }

    /// Instructions that falling asleep once more makes.
    private static let noise = 250_000

    @Test(
      .contract(116),
      arguments: ["addBarrierBlock-barriers", "run-before-barriers", "run-between-barriers"])
    func barriers(_ name: String) throws { try expectConstantItem(name) }

    /// Tasks that await the finish are handlers, too; how many of them come in time differs from
    /// run to run, so `scripts/costs` alone has them.
    ///
    /// Taking handlers from the front of an array moves a few bytes of each: only many make that
    /// dear.
    @Test(.contract(59)) func aFinishHandler() throws {
      try expectConstantItem("onFinish", items: 8_000)
    }

    /// Changes are told to those who observe them, and nobody else makes them dearer.
    @Test(
      .contract(88, 124),
      arguments: [
        "queuePriority-beside-handlers", "queuePriority-beside-observers",
        "isSuspended-beside-observers", "didChangeValue",
      ])
    func aChangeBesideThoseWhoAreNotTold(_ name: String) throws {
      try expectConstantCall(name)
    }

    @Test(.contract(124), arguments: ["invalidate", "observe-operation", "observe-queue"])
    func anObserver(_ name: String) throws { try expectConstantItem(name) }

    @Test(
      .contract(124),
      arguments: [
        "observe-initial", "invalidate-when-told", "observe-queue-initial",
        "invalidate-when-told-queue",
      ])
    func anObserverThatComesOrGoesAmongOthers(_ name: String) throws {
      try expectConstantCall(name)
    }

    @Test(.contract(121)) func anObserverOfTheProgress() throws {
      try expectConstantItem("observe-progress")
    }
  }
}

/// Counts the instructions of the program whose cases `scripts/costs` lists; it is built beside the
/// tests.
private enum Callgrind {
  /// What went wrong outside the claims under test.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let valgrind = "/usr/bin/valgrind"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: valgrind) }

  /// Instructions of one run of the program for each list of arguments; the runs are made at the
  /// same time.
  static func instructions(of runs: [[String]]) throws -> [Int] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "growth-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try withoutDebugInformation(in: folder)
    let started = try runs.enumerated().map { index, arguments in
      let counts = folder.appending(path: "\(index)").path()
      let options = ["-q", "--tool=callgrind", "--callgrind-out-file=\(counts)", program]
      return (counts, try start(valgrind, options + arguments))
    }
    return try started.map { counts, process in
      process.waitUntilExit()
      let text = textOfFile(counts)
      let total = text.split(separator: "\n").first {
        $0.hasPrefix("summary: ") || $0.hasPrefix("totals: ")
      }
      guard process.terminationStatus == 0,
        let count = total?.split(separator: " ").last.flatMap({ Int($0) })
      else {
        throw Failure(
          description: "\(process.arguments ?? []) ended with status \(process.terminationStatus)")
      }
      return count
    }
  }

  /// Valgrind reads no debug information of this toolchain's version.
  private static func withoutDebugInformation(in folder: URL) throws -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
    let paths = ([own] + bundles).map {
      URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: "CostFixture").path()
    }
    guard let fixture = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else { throw Failure(description: "there is no CostFixture beside the tests: \(paths)") }
    let program = folder.appending(path: "CostFixture").path()
    let strip = try start("/usr/bin/strip", ["-g", "-o", program, fixture])
    strip.waitUntilExit()
    guard strip.terminationStatus == 0 else {
      throw Failure(description: "strip of \(fixture) ended with \(strip.terminationStatus)")
    }
    return program
  }

  private static func start(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }
}
