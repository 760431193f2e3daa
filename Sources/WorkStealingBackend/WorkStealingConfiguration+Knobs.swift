// SPDX-License-Identifier: Apache-2.0

public import Scheduling

extension WorkStealingConfiguration {
  /// Every setting but the topology as a knob, with its legal values and its default.
  public static let knobs: [SchedulerKnob] = bindings.map(\.knob)

  /// The defaults changed by these knobs; refuses unknown names, illegal values, and what does not
  /// go together.
  public init(_ settings: KnobSettings) throws(KnobError) {
    self.init()
    try Self.bindings.apply(settings, to: &self, Self.typeName)
    try validate()
  }

  /// Refuses an illegal value, and settings that do not go together.
  public func validate() throws(KnobError) {
    try Self.bindings.check(self, Self.typeName)
    guard stealOrder == .random || pinning != .none else {
      throw KnobError(
        place: "\(Self.typeName).stealOrder",
        finding:
          "\(stealOrder.rawValue) without pinning, so that no worker has a place to be near to",
        expectation: "pinning compact or spread",
        nextStep: "set pinning as well (knob 'pin'), or steal order random")
    }
  }

  private static let typeName = "WorkStealingConfiguration"

  private static let bindings: [KnobBinding<WorkStealingConfiguration>] = {
    let initial = WorkStealingConfiguration()
    return [
      .choice(
        "pin", "pinning", \.pinning, of: initial, "processors of the workers' threads"),
      .choice(
        "local-order", "localOrder", \.localOrder, of: initial,
        "which of its own jobs a worker takes"),
      .choice(
        "steal-order", "stealOrder", \.stealOrder, of: initial,
        "whom a thief asks first; nearest-first wants pin=compact or spread"),
      .number(
        "steal-batch", "stealBatch", \.stealBatch, of: initial, legal: 1...256,
        "jobs that a thief takes at a time"),
      .number(
        "spin-us", "spinBudgetNanoseconds", \.spinNumber, of: initial, legal: 0...1_000_000,
        scale: 1000, word: ("auto", -1, "nil"), "µs that a worker looks for jobs before it sleeps"),
      .choice(
        "priority", "priorityPolicy", \.priorityPolicy, of: initial,
        "how much workers obey bands"),
      .number(
        "chain-bound", "chainBound", \.chainBound, of: initial, legal: 0...1_000_000,
        "immediate successors that run in place"),
      .number(
        "injector-interval", "injectorInterval", \.injectorInterval, of: initial,
        legal: 1...1_000_000, "jobs between two looks at what came from outside"),
      .number(
        "ageing-interval", "ageingInterval", \.ageingInterval, of: initial, legal: 0...1_000_000,
        "picks between two of the least urgent band; 0 never"),
      .number(
        "stack-kib", "stackSize", \.stackSize, of: initial, legal: 64...1 << 20, scale: 1024,
        word: ("system", 0, "0"), "KiB of stack of a worker's thread"),
      .number(
        "compensation-limit", "compensationLimit", \.compensationLimit, of: initial,
        legal: 0...32_000, "threads in place of blocked workers at a time"),
    ]
  }()

  /// The spin budget as a number, -1 for nil.
  private var spinNumber: Int {
    get { spinBudgetNanoseconds.map { Int(clamping: $0) } ?? -1 }
    set { spinBudgetNanoseconds = newValue < 0 ? nil : UInt64(newValue) }
  }
}
