// SPDX-License-Identifier: Apache-2.0

/// What is known of the systems that rows name, in the order in which they are shown.
///
/// Rows carry names and parameters; which parameter is a knob, and who may be called the best, is
/// known of a suite. A system that the roster does not know counts as a scheduler without knobs.
package struct Roster: Sendable {
  /// What is known of one system.
  package struct System: Sendable, Hashable {
    /// Measured whole, with its own operations.
    package var isReference = false
    /// Runs an operation inside the call that submits it.
    package var isSerialBaseline = false
    /// Has a worker count of its own, whatever is asked for.
    package var keepsWorkers = false
    /// Names of what can be set on it.
    package var knobs: Set<String> = []
    /// What to know before comparing it with others.
    package var caveat: String?

    package init(
      isReference: Bool = false, isSerialBaseline: Bool = false, keepsWorkers: Bool = false,
      knobs: Set<String> = [], caveat: String? = nil
    ) {
      self.isReference = isReference
      self.isSerialBaseline = isSerialBaseline
      self.keepsWorkers = keepsWorkers
      self.knobs = knobs
      self.caveat = caveat
    }
  }

  private let systems: [String: System]
  private let places: [String: Int]

  /// The systems by name, in the order in which they are shown; the first of equal names counts.
  package init(_ systems: [(name: String, system: System)] = []) {
    self.systems = Dictionary(
      systems.map { ($0.name, $0.system) }, uniquingKeysWith: { first, _ in first })
    places = Dictionary(
      systems.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// What is known of a system; nothing special of one that is not listed.
  func system(named name: String) -> System { systems[name] ?? System() }

  /// Its place in the order; nil when it is not listed.
  func place(of name: String) -> Int? { places[name] }
}
