// SPDX-License-Identifier: Apache-2.0

internal import CKernels
internal import Harness

/// What a node of a graph workload does besides its mark: nothing, or a kernel whose result is part
/// of the answer.
///
/// A plain value of words, for the reason given at `Slots`; any thread.
package struct GraphBody: NodeBody {
  /// What a body does.
  package enum Kernel: String, CaseIterable, Sendable {
    /// Nothing.
    case empty
    /// Multiplications that wait for each other.
    case compute
    /// Reads of one cache line after the other.
    case memory
    /// As `compute`, from none to twice as many iterations, by the seed.
    case imbalance
  }

  let kernel: Kernel
  /// Holds the iterations of the kernel, on average; whoever changes it is ordered with the bodies.
  let grain: Stamps
  let seed: Int
  /// Where a node leaves its result.
  let results: Stamps
  /// What `memory` reads, and its size in stamps.
  let read: Stamps
  let readCount: Int

  /// Runs the kernel of a node and leaves its result.
  @inline(__always) package func run(_ node: Int) {
    guard kernel != .empty else { return }
    results[node] = value(node)
  }

  /// The result of a node; the serial reference calls this too.
  @inline(__always) func value(_ node: Int) -> UInt64 {
    let iterations = iterations(of: node)
    switch kernel {
    case .empty: return 0
    case .compute, .imbalance: return ckernel_compute(UInt64(node), Int64(iterations))
    case .memory:
      return ckernel_memory(read.handle, Int64(readCount), UInt64(node), Int64(iterations))
    }
  }

  /// The iterations of a node.
  @inline(__always) func iterations(of node: Int) -> Int {
    let grain = Int(grain[0])
    guard kernel == .imbalance else { return grain }
    let drawn = TaskBenchGrid.mixed(UInt64(truncatingIfNeeded: seed) &+ UInt64(node))
    return Int(Double(drawn >> 11) * 0x1p-53 * Double(2 * grain + 1))
  }
}

/// Owns what the bodies of one graph workload read and write.
final class GraphBodyStorage {
  /// What `memory` reads: 16 MiB, more than most last caches give one core.
  static let readCount = 1 << 21

  let body: GraphBody
  private let results: StampStorage
  private let read: StampStorage
  private let grain: StampStorage
  /// What the nodes compute; nil once the grain has been changed.
  private var expected: [UInt64]?

  init(
    for name: String, count: Int, kernel: GraphBody.Kernel, grain: Int, seed: Int
  ) throws(WorkloadError) {
    self.grain = try StampStorage(for: name, count: 1)
    results = try StampStorage(for: name, count: kernel == .empty ? 1 : count)
    read = try StampStorage(for: name, count: kernel == .memory ? Self.readCount : 8)
    for place in 0..<read.count where kernel == .memory {
      read.stamps[place] = TaskBenchGrid.mixed(UInt64(place))
    }
    let body = GraphBody(
      kernel: kernel, grain: self.grain.stamps, seed: seed, results: results.stamps,
      read: read.stamps,
      readCount: read.count)
    self.body = body
    setGrain(grain)
    expected = kernel == .empty ? [] : (0..<count).map(body.value)
  }

  /// Sets the iterations of the kernel, while no body runs; results are not checked from then on.
  func setGrain(_ iterations: Int) {
    grain.stamps[0] = UInt64(iterations)
    expected = nil
  }

  /// Throws unless every node has left its result; forgets the results.
  func check(_ name: String) throws(WrongAnswer) {
    guard let expected, !expected.isEmpty else { return }
    let found = results.values
    results.clear()
    if let node = found.indices.first(where: { found[$0] != expected[$0] }) {
      throw WrongAnswer(
        message: "\(name): node \(node) computed \(found[node]); expected \(expected[node]), as "
          + "the serial reference has it")
    }
  }
}
