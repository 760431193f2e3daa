// SPDX-License-Identifier: Apache-2.0

/// How two runs of one graph differ, operation by operation.
package struct TraceDifference: Sendable {
  /// An operation of both recordings.
  package struct Row: Sendable, Equatable {
    /// Index in the first recording.
    package let first: Int32
    /// Index in the second.
    package let second: Int32
    /// How much longer it was ready before it started in the second, ns.
    package let readyWait: Int64
    /// How much longer its body had a thread in the second, ns.
    package let run: Int64
  }

  /// Where the realised paths of two runs go different ways.
  package struct Parting: Sendable, Equatable {
    /// Operations that both paths begin with.
    package let common: Int
    /// The first operation behind them on the first path, an index in its recording; nil at its
    /// end.
    package let first: UInt32?
    /// The same of the second.
    package let second: UInt32?
    /// Operations that are on both paths, wherever.
    package let shared: Int
  }

  package let alignment: TraceAlignment
  /// Operations in both recordings whose times are known in both.
  package let compared: Int
  /// How much longer all of them together were ready before they started in the second, ns.
  package let readyWait: Int64
  /// How much longer all their bodies together had threads in the second, ns.
  package let run: Int64
  /// The operations that differ most, by the sum of both, the largest first.
  package let largest: [Row]
  /// Nil when a path is not known, as of a recording without dependencies.
  package let parting: Parting?

  /// Compares two recordings.
  ///
  /// O(operations log operations).
  /// - Parameters:
  ///   - paths: the operations of the realised path of each.
  ///   - most: how many operations to keep.
  package init(
    _ first: Trace, _ second: Trace, paths: (first: [UInt32], second: [UInt32])? = nil,
    most: Int = 10
  ) {
    alignment = TraceAlignment(first, second)
    var rows: [Row] = []
    for (index, partner) in alignment.partners.enumerated() where partner >= 0 {
      let one = first.operations[index]
      let other = second.operations[Int(partner)]
      guard let wait = Self.wait(one), let otherWait = Self.wait(other), let run = one.runTime,
        let otherRun = other.runTime
      else { continue }
      rows.append(
        Row(
          first: Int32(index), second: partner, readyWait: otherWait - wait, run: otherRun - run))
    }
    compared = rows.count
    readyWait = rows.reduce(0) { $0 + $1.readyWait }
    run = rows.reduce(0) { $0 + $1.run }
    rows.sort {
      let (one, other) = (($0.readyWait + $0.run).magnitude, ($1.readyWait + $1.run).magnitude)
      return one != other ? one > other : $0.first < $1.first
    }
    largest = Array(rows.prefix(most))
    parting = paths.map { [alignment] in
      Self.parting(alignment, $0.first, $0.second)
    }
  }

  private static func wait(_ operation: TracedOperation) -> Int64? {
    guard let ready = operation.ready, let started = operation.started else { return nil }
    return started - ready
  }

  private static func parting(
    _ alignment: TraceAlignment, _ first: [UInt32], _ second: [UInt32]
  ) -> Parting {
    func partner(_ operation: UInt32) -> Int32 { alignment.partners[Int(operation)] }
    let common = zip(first, second).prefix { partner($0) == Int32($1) }.count
    let others = Set(second.map { Int32($0) })
    return Parting(
      common: common, first: common < first.count ? first[common] : nil,
      second: common < second.count ? second[common] : nil,
      shared: first.count { others.contains(partner($0)) })
  }
}
