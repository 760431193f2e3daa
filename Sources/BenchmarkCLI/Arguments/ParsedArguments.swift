// SPDX-License-Identifier: Apache-2.0

package import Measurement
package import SuiteFiles

/// A command line after checking against the option table.
package struct ParsedArguments: Sendable {
  /// What the user wants done.
  package enum Wish: Equatable, Sendable {
    case version
    /// Help for a verb, or the overview.
    case help(Verb?)
    case verb(Verb)
  }

  /// What the user wants done.
  package var wish: Wish
  /// Words that are neither the verb nor options: workload names, or paths.
  package var words: [String] = []
  /// Those of the words of `compare` that are results files.
  package var files: [String] = []
  /// The options of the command line itself, and not of the environment.
  package var typed: Set<OptionName> = []
  /// Values by option, in the order given.
  package var values: [OptionName: [OptionValue]] = [:]

  /// The suite whose options fill in what is neither typed nor in the environment.
  package var suite: SuiteFile?

  /// What the user should know about the command line and went on all the same.
  package var remarks: [String] = []

  package init(wish: Wish) { self.wish = wish }

  /// True when the flag was given.
  package func isOn(_ name: OptionName) -> Bool { values[name]?.isEmpty == false }

  /// The text of an option, or nil when it was not given.
  package func text(_ name: OptionName) -> String? { texts(name).last }

  /// Every text of a repeatable option.
  package func texts(_ name: OptionName) -> [String] {
    (values[name] ?? []).compactMap { value -> String? in
      if case .text(let text) = value { text } else { nil }
    }
  }

  /// Every name of a list option, each once, or nil when it was not given.
  package func names(_ name: OptionName) -> [String]? {
    allNames(name)?.reduce(into: []) { all, name in
      if !all.contains(name) { all.append(name) }
    }
  }

  /// Every name of a list option, as often as it was given, or nil when it was not.
  func allNames(_ name: OptionName) -> [String]? {
    values[name]?.flatMap { value -> [String] in
      if case .names(let names) = value { names } else { [] }
    }
  }

  /// Every number of a list option, each once, or nil when it was not given.
  package func counts(_ name: OptionName) -> [Int]? {
    guard let given = values[name] else { return nil }
    return given.reduce(into: []) { all, value in
      guard case .counts(let counts) = value else { return }
      for count in counts where !all.contains(count) { all.append(count) }
    }
  }

  /// The axis selections, one per axis.
  package var axes: [AxisSelection] {
    let given = (values[.axes] ?? []).flatMap { value -> [AxisSelection] in
      if case .axes(let axes) = value { axes } else { [] }
    }
    return AxisSelection.merged(given)
  }

  /// What `swift build` is told beside the product, for a revision.
  package var buildOptions: [String] {
    (text(.buildOptions) ?? "").split(separator: " ").map(String.init)
  }

  /// A number, or nil when the option was not given.
  package func count(_ name: OptionName) -> Int? {
    if case .count(let count)? = values[name]?.last { count } else { nil }
  }

  /// The seed, or nil when none was given.
  package var seed: UInt64? {
    if case .seed(let seed)? = values[.seed]?.last { seed } else { nil }
  }

  /// A time span, or nil when the option was not given.
  package func duration(_ name: OptionName) -> Duration? {
    if case .duration(let duration)? = values[name]?.last { duration } else { nil }
  }

  /// A fraction, 0.01 for 1 %, or nil when the option was not given.
  package func fraction(_ name: OptionName) -> Double? {
    if case .fraction(let fraction)? = values[name]?.last { fraction } else { nil }
  }

  /// A factor, or nil when the option was not given.
  package func factor(_ name: OptionName) -> Double? {
    if case .factor(let factor)? = values[name]?.last { factor } else { nil }
  }
}
