// SPDX-License-Identifier: Apache-2.0

/// Makes a program that shows a difference as small as dropping parts of it can.
struct Shrinker {
  /// The report of a script that still shows a difference, else nil.
  let check: (Script) -> String?

  /// The smallest script found, with its report.
  func shrink(_ script: Script, _ report: String) -> (script: Script, report: String) {
    var best = (script: script, report: report)
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in candidates(best.script.program) {
        guard let script = Script(candidate), Self.size(script) < Self.size(best.script),
          let report = check(script)
        else { continue }
        best = (script, report)
        isSmaller = true
        break
      }
    }
    return best
  }

  private static func size(_ script: Script) -> Int {
    script.steps.count
      + script.program.plans.reduce(0) { sum, plan in
        sum + plan.inBody.count + plan.inCompletion.count + plan.extraBlocks
      } + script.program.steps.count + script.program.plans.count
  }

  /// Programs with something left out, the largest parts first.
  private func candidates(_ program: Program) -> [Program] {
    var found: [Program] = []
    var width = program.steps.count / 2
    while width > 0 {
      for start in stride(from: 0, to: program.steps.count, by: width) {
        var smaller = program
        smaller.steps.removeSubrange(start..<min(start + width, program.steps.count))
        found.append(smaller)
      }
      width /= 2
    }
    for number in program.plans.indices {
      let plan = program.plans[number]
      var smaller = program
      smaller.plans[number].inBody = []
      smaller.plans[number].inCompletion = []
      smaller.plans[number].extraBlocks = 0
      if plan.inBody.count + plan.inCompletion.count + plan.extraBlocks > 0 {
        found.append(smaller)
      }
    }
    // The last operation, if nothing names it.
    var smaller = program
    smaller.plans.removeLast()
    if !smaller.plans.isEmpty, !program.names(smaller.plans.count) { found.append(smaller) }
    return found
  }
}

extension Program {
  /// Whether a step or a body names the operation.
  fileprivate func names(_ number: Int) -> Bool {
    func isNamed(_ step: Step) -> Bool {
      switch step {
      case .add(let one, _), .cancel(let one), .prioritise(let one, _), .finish(let one),
        .open(let one, _), .start(let one), .complete(let one), .wait(let one):
        one == number
      case .depend(let one, let other), .undepend(let one, let other):
        one == number || other == number
      case .addAll(let numbers, _, _): numbers.contains(number)
      case .together(let steps): steps.contains(where: isNamed)
      case .cancelAll, .suspend, .limit, .waitForQueue, .list: false
      }
    }
    return (steps + plans.flatMap { $0.inBody + $0.inCompletion }).contains(where: isNamed)
  }
}
