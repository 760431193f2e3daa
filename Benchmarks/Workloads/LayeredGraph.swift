// SPDX-License-Identifier: Apache-2.0

package import Harness

/// A random graph in layers, as predecessor lists in one array.
///
/// Every operation of a layer but the first depends on `degree` distinct operations of the layer
/// before, drawn with a 64-bit linear congruential generator that starts at the seed: x ← x ·
/// 6364136223846793005 + 1442695040888963407, candidate = (x >> 33) mod width, drawn again when
/// this operation has it already.
package final class LayeredGraph: Sendable {
  /// Operations of one layer.
  package let width: Int
  /// Operations of all layers.
  package let count: Int
  /// Predecessors of one operation outside the first layer.
  package let degree: Int
  /// Predecessors of the operations from `width` on, `degree` for each, in the order drawn.
  private let predecessorList: [Int32]
  /// Edges.
  package var edgeCount: Int { predecessorList.count }
  /// s ← s · 31 + predecessor over `predecessorList`, modulo 2^64.
  package let checksum: UInt64

  /// The checksum for 100 layers of 1000 with degree 3 and seed 42, computed by other programs from
  /// the same rule.
  package static let publishedChecksum: UInt64 = 0x305a_7a54_a396_c67a

  /// Draws the graph.
  ///
  /// O(layers · width · degree²).
  package init(layers: Int, width: Int, degree: Int, seed: Int) throws(WorkloadError) {
    guard degree <= width else {
      throw WorkloadError(
        message: "layered: degree \(degree) is larger than width \(width); expected distinct "
          + "predecessors in the layer before; ask for a smaller degree with --where")
    }
    self.width = width
    self.degree = degree
    count = layers * width
    let (list, sum) = Self.draw(layers: layers, width: width, degree: degree, seed: seed)
    predecessorList = list
    checksum = sum
    if layers == 100, width == 1000, degree == 3, seed == 42, sum != Self.publishedChecksum {
      throw WorkloadError(
        message: "layered: checksum 0x\(String(sum, radix: 16)), expected "
          + "0x\(String(Self.publishedChecksum, radix: 16)); the generator has been changed")
    }
  }

  /// The predecessors of an operation: lower indices, distinct, none in the first layer.
  package func predecessors(of index: Int) -> ArraySlice<Int32> {
    guard index >= width else { return [] }
    let start = (index - width) * degree
    return predecessorList[start..<start + degree]
  }

  /// Calls `body` with each predecessor of an operation; a slice of the list would cost references
  /// in the measured part.
  @inline(__always) package func forEachPredecessor(of index: Int, _ body: (Int) -> Void) {
    guard index >= width else { return }
    let start = (index - width) * degree
    for place in start..<start + degree { body(Int(predecessorList[place])) }
  }

  private static func draw(
    layers: Int, width: Int, degree: Int, seed: Int
  ) -> (list: [Int32], checksum: UInt64) {
    var list: [Int32] = []
    list.reserveCapacity((layers - 1) * width * degree)
    var state = UInt64(bitPattern: Int64(seed))
    var checksum: UInt64 = 0
    for layer in 1..<max(layers, 1) {
      let base = (layer - 1) * width
      for _ in 0..<width {
        let start = list.count
        while list.count < start + degree {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          let candidate = Int32(base + Int(state >> 33) % width)
          if list[start...].contains(candidate) { continue }
          list.append(candidate)
          checksum = checksum &* 31 &+ UInt64(candidate)
        }
      }
    }
    return (list, checksum)
  }
}
