// SPDX-License-Identifier: Apache-2.0

/// Which processors share what, as a value: the base of pinning and of stealing from the nearest.
public struct ProcessorTopology: Hashable, Sendable {
  /// One hardware thread with what it belongs to.
  ///
  /// Two processors share a core, cache, node or package exactly when the numbers are equal; the
  /// numbers say nothing else.
  public struct Processor: Hashable, Sendable {
    /// The system's number, 0 or more.
    public var number: Int
    /// Physical core.
    public var core: Int
    /// Level 2 cache.
    public var l2: Int
    /// Level 3 cache.
    public var l3: Int
    /// Memory node.
    public var node: Int
    /// Package, also called socket.
    public var package: Int

    /// A processor; see the properties.
    public init(number: Int, core: Int, l2: Int, l3: Int, node: Int, package: Int) {
      self.number = number
      self.core = core
      self.l2 = l2
      self.l3 = l3
      self.node = node
      self.package = package
    }

    /// What two processors may share, the widest first.
    fileprivate static let levels: [@Sendable (Processor) -> Int] = [
      { $0.package }, { $0.node }, { $0.l3 }, { $0.l2 }, { $0.core },
    ]

    /// How far data travels between two processors: 0 on one core, 5 between packages.
    public func distance(to other: Processor) -> Int {
      let shared = Self.levels.prefix { $0(self) == $0(other) }.count
      return Self.levels.count - shared
    }
  }

  /// The processors that threads may use, sorted by number; at least one, each once.
  public let processors: [Processor]

  /// A topology of these processors; none, or the same number twice, stops the process.
  public init(_ processors: [Processor]) {
    self.processors = processors.sorted { $0.number < $1.number }
    let isDouble = zip(self.processors, self.processors.dropFirst()).contains {
      $0.number == $1.number
    }
    guard !processors.isEmpty, !isDouble else {
      fatalError(
        "ProcessorTopology: processors \(self.processors.map(\.number)); expected at least one, each "
          + "number once; fix the list")
    }
  }

  /// The processors in the order in which a pinning fills them; nil for `none`.
  ///
  /// `compact` puts neighbours in the list as near to each other as possible, `spread` as far
  /// apart.
  public func order(for pinning: WorkerPinning) -> [Processor]? {
    switch pinning {
    case .none: nil
    case .compact: Self.groups(of: processors, levels: Processor.levels[...]).flatMap { $0 }
    case .spread: Self.spread(processors, levels: Processor.levels[...])
    }
  }

  /// The processors of each unit of the widest level, every unit in compact order.
  private static func groups(
    of processors: [Processor], levels: ArraySlice<@Sendable (Processor) -> Int>
  ) -> [[Processor]] {
    guard let level = levels.first else { return processors.map { [$0] } }
    return split(processors, by: level).map {
      groups(of: $0, levels: levels.dropFirst()).flatMap { $0 }
    }
  }

  /// One processor of each unit in turn, and so on inside the units.
  private static func spread(
    _ processors: [Processor], levels: ArraySlice<@Sendable (Processor) -> Int>
  ) -> [Processor] {
    guard let level = levels.first else { return processors }
    let units = split(processors, by: level).map { spread($0, levels: levels.dropFirst()) }
    return (0..<(units.map(\.count).max() ?? 0)).flatMap { turn in
      units.compactMap { turn < $0.count ? $0[turn] : nil }
    }
  }

  /// The processors by unit, units in the order of their first processor.
  private static func split(
    _ processors: [Processor], by level: (Processor) -> Int
  ) -> [[Processor]] {
    var units: [(number: Int, members: [Processor])] = []
    for processor in processors {
      if let index = units.firstIndex(where: { $0.number == level(processor) }) {
        units[index].members.append(processor)
      } else {
        units.append((level(processor), [processor]))
      }
    }
    return units.map(\.members)
  }
}
