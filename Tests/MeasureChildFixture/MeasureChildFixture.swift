// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Measurement

/// A program for the tests of the harness: an orchestrator of one child, and that child.
@main enum MeasureChildFixture {
  static func main() {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case measureChildVerb:
      exit(runMeasureChild(arguments: Array(arguments.dropFirst(2)), suite: fixtureSuite))
    case "orchestrate": orchestrate(arguments[2], allocator: arguments[3])
    case "shortage": print(Shortage.find(workers: 2)?.description ?? "none")
    default: fatalError("usage: MeasureChildFixture orchestrate <command> <allocator>")
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
