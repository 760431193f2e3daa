// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Measurement
internal import Results

/// A program for the tests of the harness: an orchestrator of one child, and that child.
@main enum MeasureChildFixture {
  static func main() {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case measureChildVerb:
      exit(
        runMeasureChild(
          arguments: Array(arguments.dropFirst(2)), suite: fixtureSuite, calls: .ofFixture))
    case "orchestrate": orchestrate(arguments[2], allocator: arguments[3])
    case "count": count(arguments[2])
    case "shortage": print(Shortage.find(workers: 2)?.description ?? "none")
    default: fatalError("usage: MeasureChildFixture orchestrate <command> <allocator>")
    }
  }

  /// Measures a workload of one worker whose child is asked to count, and prints what it counted,
  /// or why it did not.
  private static func count(_ workload: String) {
    var assignment = Assignment(
      subject: .workload(workload), system: .scheduler("immediate"), workers: 1,
      parameters: Parameters(["n": 10]), seed: 1)
    assignment.countsHardware = true
    let outcome = ChildRunner().run(assignment, deadline: .seconds(60), allocator: .system)
    if let failure = outcome.failure { print("failed=\(failure.qualityWord)") }
    print("iterations=\(outcome.iterations.count)")
    for metric in Metric.ofHardware {
      for value in outcome.metrics[metric] ?? [] { print("\(metric.rawValue)=\(value)") }
      if let reason = outcome.missing[metric] { print("\(metric.rawValue)=\(reason)") }
    }
  }

  /// Measures one assignment and prints what came of it.
  private static func orchestrate(_ line: String, allocator: String) {
    guard let interrupt = InterruptFlag.install() else { fatalError("cannot catch signals") }
    guard case .prepare(let assignment)? = try? Command(text: line),
      let allocator = Allocator(rawValue: allocator)
    else { fatalError("bad assignment") }
    let outcome = ChildRunner(interrupt: interrupt).run(
      assignment, deadline: .seconds(60), allocator: allocator)
    switch outcome.failure {
    case nil: print("complete")
    case .crashed(let how, _): print("crashed: \(how)")
    case .unavailable("spawn", let detail): print("unavailable: \(detail)")
    case .some(let failure): print(failure.qualityWord)
    }
    exit(interrupt.isRaised ? 130 : 0)
  }
}
