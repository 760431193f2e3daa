// SPDX-License-Identifier: Apache-2.0

/// Values of some of a scheduler's knobs, by name.
///
/// The canonical text sorts them by name: `pin:compact;spin-us:5`.
public struct KnobSettings: Hashable, Sendable, CustomStringConvertible {
  private var values: [String: KnobValue]

  /// Settings with these values; `[:]` leaves every knob at its default.
  public init(_ values: [String: KnobValue] = [:]) { self.values = values }

  /// Reads the canonical text; nil when it is malformed or names a knob twice.
  public init?(canonical text: String) {
    values = [:]
    guard !text.isEmpty else { return }
    for piece in text.split(separator: ";", omittingEmptySubsequences: false) {
      let halves = piece.split(separator: ":", omittingEmptySubsequences: false)
      guard halves.count == 2, KnobValue(text: halves[0])?.word != nil,
        let value = KnobValue(text: halves[1]),
        values.updateValue(value, forKey: String(halves[0])) == nil
      else { return nil }
    }
  }

  /// The value of a knob, nil when it is not set.
  public subscript(_ knob: String) -> KnobValue? {
    get { values[knob] }
    set { values[knob] = newValue }
  }

  /// True when nothing is set.
  public var isEmpty: Bool { values.isEmpty }

  /// Every value that is set, sorted by name.
  public var entries: [(name: String, value: KnobValue)] {
    values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// The canonical text.
  public var description: String {
    entries.map { "\($0.name):\($0.value)" }.joined(separator: ";")
  }

  /// The settings with the default of every knob that is not set.
  public func completed(by knobs: [SchedulerKnob]) -> KnobSettings {
    var all = self
    for knob in knobs where all[knob.name] == nil { all[knob.name] = knob.defaultValue }
    return all
  }

  /// Refuses a value that its knob does not take, and a name that is no knob; `owner` is whose
  /// knobs they are.
  public func check(against knobs: [SchedulerKnob], of owner: String) throws(KnobError) {
    for (name, value) in entries {
      guard let knob = knobs.first(where: { $0.name == name }) else {
        throw KnobError(
          place: owner, finding: "there is no knob '\(name)'",
          expectation: knobs.isEmpty
            ? "no knob at all" : "one of \(knobs.map(\.name).joined(separator: ", "))",
          nextStep: "leave it out")
      }
      guard knob.accepts(value) else {
        throw KnobError(
          place: "\(owner), knob '\(name)'", finding: "\(value) is illegal",
          expectation: knob.legalText, nextStep: "set a legal value, or leave the knob alone")
      }
    }
  }
}
