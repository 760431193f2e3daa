// SPDX-License-Identifier: Apache-2.0

import Foundation
import RandomPrograms

/// Random programs of the public API: a program for `scripts/random-programs`.
///
///     RandomProgramsFixture SECONDS SEED SCHEDULER|all WORKERS|all [all|survey]
///     RandomProgramsFixture child SCHEDULER WORKERS SEED SECONDS PATIENCE NOTE [PART,…]
///     RandomProgramsFixture show SEED
///
/// The first form looks for a program that shows a fault and exits with 1 if there is one; with a
/// last `all` it goes on after a finding, with `survey` without making it smaller. The second is
/// what it runs again and again. The third prints a program.
@main enum RandomProgramsFixture {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "child" { return child(Array(arguments.dropFirst())) }
    if arguments.first == "show", arguments.count == 2, let seed = UInt64(arguments[1]) {
      return print(Program.of(seed: seed))
    }
    guard arguments.count >= 4, let seconds = Double(arguments[0]), let seed = UInt64(arguments[1])
    else { return usage(arguments) }
    let schedulers = Tested.all(workers: [1, 2, 3, 8]).filter { tested in
      (arguments[2] == "all" || arguments[2] == tested.name)
        && (arguments[3] == "all" || arguments[3] == String(tested.workers) || tested.isInline)
    }
    guard !schedulers.isEmpty else { return usage(arguments) }
    var campaign = Campaign(
      executable: CommandLine.arguments[0], schedulers: schedulers, seconds: seconds, seed: seed)
    if arguments.count == 5 {
      campaign.findsAll = arguments[4] == "all" || arguments[4] == "survey"
      campaign.shrinks = arguments[4] != "survey"
    }
    let findings = campaign.run { text in
      print(text)
      fflush(nil)
    }
    exit(findings.isEmpty ? 0 : 1)
  }

  private static func child(_ arguments: [String]) {
    guard arguments.count >= 6, let workers = Int(arguments[1]), let seed = UInt64(arguments[2]),
      let seconds = Double(arguments[3]), let patience = Double(arguments[4]),
      let tested = (Tested.all(workers: [workers]) + [.losing]).first(where: {
        $0.name == arguments[0]
      })
    else { return usage(arguments) }
    let parts =
      arguments.count > 6
      ? Set(arguments[6].split(separator: ",").compactMap { Int($0) }) : nil
    let series = Series(tested, patience: .seconds(patience), note: arguments[5])
    let recorded = RecordedPrograms()
    series.run(from: seed, without: parts, seconds: seconds)
    recorded.end()
    exit(0)
  }

  private static func usage(_ arguments: [String]) {
    FileHandle.standardError.write(
      Data(
        "RandomProgramsFixture: \(arguments) is not SECONDS SEED SCHEDULER|all WORKERS|all [all]\n"
          .utf8))
    exit(64)
  }
}
