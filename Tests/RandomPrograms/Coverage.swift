// SPDX-License-Identifier: Apache-2.0

/// What programs were made of.
package struct Coverage: Sendable, Equatable {
  package var programs = 0
  package var steps = 0
  package var names: Set<Step.Name> = []
  package var kinds: Set<Kind> = []

  package init() {}

  package mutating func note(_ program: Program) {
    programs += 1
    let all = program.allSteps
    steps += all.count
    for step in all { names.insert(step.name) }
    for plan in program.plans { kinds.insert(plan.kind) }
  }

  package mutating func add(_ other: Coverage) {
    programs += other.programs
    steps += other.steps
    names.formUnion(other.names)
    kinds.formUnion(other.kinds)
  }

  /// The kinds of steps and operations that no program had.
  package var missing: [String] {
    Step.Name.allCases.filter { !names.contains($0) }.map(\.rawValue)
      + Kind.allCases.filter { !kinds.contains($0) }.map(\.rawValue)
  }

  // MARK: As text, from one process to another

  var line: String {
    "\(programs) \(steps) \(names.map(\.rawValue).joined(separator: ",")) "
      + kinds.map(\.rawValue).joined(separator: ",")
  }

  /// Nil for words that no `line` is made of.
  init?(_ words: [Substring]) {
    guard words.count == 4, let programs = Int(words[0]), let steps = Int(words[1]) else {
      return nil
    }
    self.programs = programs
    self.steps = steps
    names = Set(words[2].split(separator: ",").compactMap { Step.Name(rawValue: String($0)) })
    kinds = Set(words[3].split(separator: ",").compactMap { Kind(rawValue: String($0)) })
  }
}
