// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// The settings of a thread pool with one queue.
///
/// `knobs` has them as data, with their legal values. A scheduler stops the process when it gets an
/// illegal configuration; `validate()` throws instead.
public struct ThreadPoolConfiguration: Sendable {
  /// Which processors the threads may run on.
  ///
  /// Pinned threads save moves between processors, and wait for a busy one where the system would
  /// have moved them.
  public var pinning = WorkerPinning.none

  /// What pinning goes by; nil takes the processors of the thread that makes the scheduler, from
  /// /sys.
  public var topology: ProcessorTopology?

  /// How long a thread without a job looks for one before it sleeps, in nanoseconds, up to a
  /// second.
  ///
  /// Spinning saves the time of a wake-up and spends the processor's.
  public var spinBudgetNanoseconds: UInt64 = 0

  /// Whether the most urgent job of the queue goes first (`strict`) or the oldest (`none`).
  ///
  /// `relaxed` is illegal: one queue has no cheaper approximation of its order.
  public var priorityPolicy = PriorityPolicy.strict

  /// Stack of a thread in bytes, 64 KiB to 1 GiB; 0 takes the system's default.
  ///
  /// The default is the system's usual size, whatever the shell's limits say.
  public var stackSize = 8 << 20

  /// The defaults.
  public init() {}
}

extension ThreadPoolConfiguration {
  /// Every setting but the topology as a knob, with its legal values and its default.
  public static let knobs: [SchedulerKnob] = bindings.map(\.knob)

  /// The defaults changed by these knobs; refuses unknown names and illegal values.
  public init(_ settings: KnobSettings) throws(KnobError) {
    self.init()
    try Self.bindings.apply(settings, to: &self, Self.typeName)
  }

  /// Refuses an illegal value.
  public func validate() throws(KnobError) {
    try Self.bindings.check(self, Self.typeName)
  }

  private static let typeName = "ThreadPoolConfiguration"

  private static let bindings: [KnobBinding<ThreadPoolConfiguration>] = {
    let initial = ThreadPoolConfiguration()
    return [
      .choice("pin", "pinning", \.pinning, of: initial, "processors of the threads"),
      .number(
        "spin-us", "spinBudgetNanoseconds", \.spinNumber, of: initial, legal: 0...1_000_000,
        scale: 1000, "µs that a thread looks for jobs before it sleeps"),
      .choice(
        "priority", "priorityPolicy", \.priorityPolicy, of: initial, legal: [.strict, .none],
        "whether bands count"),
      .number(
        "stack-kib", "stackSize", \.stackSize, of: initial, legal: 64...1 << 20, scale: 1024,
        word: ("system", 0, "0"), "KiB of stack of a thread"),
    ]
  }()

  /// The spin budget as a number.
  private var spinNumber: Int {
    get { Int(clamping: spinBudgetNanoseconds) }
    set { spinBudgetNanoseconds = UInt64(newValue) }
  }
}
