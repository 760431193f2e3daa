// SPDX-License-Identifier: Apache-2.0

import Foundation
import RandomPrograms
import TestSupport
import Testing

/// Seeded random programs run on Foundation's classes and on ours, on every scheduler, and must
/// look the same.
///
/// What is left out because Foundation departs from its documentation is listed in `KnownDefect`.
/// `BENCH_DIFFERENTIAL` sets how many programs each scheduler runs, `BENCH_DIFFERENTIAL_SEED` the
/// first seed. Without the first the suite does not run: now and then Foundation stops the process
/// in a program that is legal ("receiver is already executing" in a race of its own), which would
/// take all other tests along.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["BENCH_DIFFERENTIAL"] != nil))
struct DifferentialTests {
  private static let firstSeed = UInt64(environment("BENCH_DIFFERENTIAL_SEED") ?? 1)
  private static let programs = environment("BENCH_DIFFERENTIAL") ?? 60

  private static func environment(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(.contract(137, 139), arguments: Tested.all(workers: [1, 2, 8]))
  func programsLookTheSameAsOnFoundation(_ tested: Tested) async {
    let report = await onThread { () -> String? in
      let duel = Duel(family: tested.family, patience: .seconds(10))
      defer { duel.watch.stop() }
      var steps = 0
      var programs = 0
      for seed in Self.firstSeed..<Self.firstSeed + UInt64(Self.programs) {
        var generator = ProgramGenerator(seed: seed)
        let script = generator.script()
        guard tested.canRun(script) else { continue }
        if let report = duel.report(script) { return duel.shrunk(script, report).report }
        if let report = duel.hurriedReport(script) { return report }
        programs += 1
        steps += script.steps.count
      }
      print("\(tested.testDescription): \(programs) programs of \(steps) steps look the same")
      return nil
    }
    if let report { Issue.record("\(report)") }
  }

  /// The comparison sees what it is for, and cuts the program down to it.
  @Test(arguments: FaultyFamily.Fault.allCases)
  func aWrongImplementationIsFound(_ fault: FaultyFamily.Fault) async {
    let found = await onThread { () -> (script: Script, report: String)? in
      let family = FaultyFamily(base: Tested.inline.family, fault: fault)
      let duel = Duel(family: family, patience: .milliseconds(50))
      defer { duel.watch.stop() }
      for seed in UInt64(1)...1_000 {
        var generator = ProgramGenerator(seed: seed)
        let script = generator.script()
        guard Tested.inline.canRun(script), let report = duel.report(script) else { continue }
        return duel.shrunk(script, report)
      }
      return nil
    }
    guard let found else {
      Issue.record("no program shows it")
      return
    }
    #expect(found.script.program.steps.count <= 12, "\(found.report)")
    #expect(found.report.contains("\(fault)"))
  }

  /// The same seed gives the same program, and programs do use every kind and step.
  @Test func programsComeFromTheirSeeds() {
    var kinds: Set<Kind> = []
    var steps: Set<String> = []
    for seed in UInt64(1)...200 {
      var first = ProgramGenerator(seed: seed)
      var second = ProgramGenerator(seed: seed)
      let script = first.script()
      #expect(script.listing == second.script().listing)
      kinds.formUnion(script.program.plans.map(\.kind))
      steps.formUnion(script.program.steps.map { String("\($0)".prefix { $0.isLetter }) })
    }
    #expect(kinds == Set(Kind.common))
    #expect(steps.count >= 14, "\(steps)")
  }

  @Test func everyKnownDefectSaysWhatItConcerns() {
    for defect in KnownDefect.allCases {
      #expect(!defect.statements.isEmpty && defect.statements.allSatisfy((1...139).contains))
      #expect(defect.reason.hasPrefix("avoided: ") || defect.reason.hasPrefix("forgiven: "))
    }
  }

  /// Runs `body` on a thread of its own: one of the cooperative pool would be missing in
  /// libdispatch's.
  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
