// SPDX-License-Identifier: Apache-2.0

import RandomPrograms

/// Runs scripts on Foundation and on a family, and says what differs.
struct Duel<Family: OperationFamily>: Sendable {
  let family: Family
  /// How long a step may take to show what it leads to.
  let patience: Duration
  let watch: Watchdog

  init(family: Family, patience: Duration) {
    self.family = family
    self.patience = patience
    watch = Watchdog(patience: .seconds(60))
  }

  /// The report of a difference, or nil.
  func report(_ script: Script) -> String? { report(script, patience) }

  private func report(_ script: Script, _ patience: Duration) -> String? {
    let reference = FoundationFamily()
    let comparison = Comparison(
      script: script,
      reference: (
        reference.name, Interpreter(script, on: reference, patience: patience).run(watch)
      ),
      tested: (family.name, Interpreter(script, on: family, patience: patience).run(watch)))
    return comparison.differences.isEmpty ? nil : comparison.report
  }

  /// What does not hold after the program was run in a hurry, on either side; nil when everything
  /// does.
  func hurriedReport(_ script: Script) -> String? {
    let faults =
      HurriedRun(script.program, on: FoundationFamily()).run(watch, patience: patience)
      + HurriedRun(script.program, on: family).run(watch, patience: patience)
    guard !faults.isEmpty else { return nil }
    return "in a hurry:\n  \(faults.joined(separator: "\n  "))\n\(script.program)"
  }

  /// The smallest script found that still differs; less patient, since it fails often.
  func shrunk(_ script: Script, _ report: String) -> (script: Script, report: String) {
    let shrinker = Shrinker<(script: Script, report: String)> { program, _ in
      guard let script = Script(program) else { return nil }
      return self.report(script, min(patience, .milliseconds(500))).map { (script, $0) }
    }
    let smallest = shrinker.shrink(script.program, (script, report)).report
    return (smallest.script, "\(smallest.report)\nfound in this program:\n\(script.listing)")
  }
}
