// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// A square of `n` by `n` operations; each depends on the one above and the one to the left.
///
/// Stresses: two dependencies per operation, parallelism that grows to `n` and shrinks again, and
/// the choice between running a successor in place and offering it to others. Does not show: wide
/// release; no operation has more than two successors. Every body checks that both predecessors
/// have run, and may then keep its worker busy for a while. Row-major order, so that a predecessor
/// has a lower index.
package final class Wavefront: Workload {
  private let name: String
  private let side: Int
  private let bodyNanoseconds: UInt64
  let storage: SlotStorage

  init(_ name: String, side: Int, bodyNanoseconds: Int = 0) throws(WorkloadError) {
    self.name = name
    self.side = side
    self.bodyNanoseconds = UInt64(bodyNanoseconds)
    storage = try SlotStorage(for: name, count: side * side)
  }

  package var operationsPerIteration: Int { side * side }

  /// The body of one operation.
  package static func body(
    row: Int, column: Int, side: Int, slots: Slots
  ) -> @Sendable () -> Void {
    let index = row * side + column
    return { visit(index, side: side, slots) }
  }

  /// What the body of operation `index` does.
  @inline(__always) package static func visit(_ index: Int, side: Int, _ slots: Slots) {
    let value = slots.increment(index)
    if index >= side { slots.expect(index - side, at: value) }
    if index % side > 0 { slots.expect(index - 1, at: value) }
  }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, side, nanoseconds) = (storage.slots, side, bodyNanoseconds)
    try TimedIteration.run(
      name, on: scheduler, recorder: &recorder,
      edges: storage.isFirstIteration ? 2 * side * (side - 1) : nil
    ) {
      if nanoseconds == 0 { return square { WavefrontOperation($0, side: side, slots) } }
      return square {
        BusyWavefrontOperation($0, side: side, slots, nanoseconds: nanoseconds)
      }
    }
    try storage.checkIteration(of: name)
  }

  /// The operations, row by row, with their dependencies; `make` gets the index.
  @inline(__always) private func square<Node: Operation>(
    _ make: (Int) -> Node
  ) -> [Operation] {
    let side = side
    var operations: [Operation] = []
    operations.reserveCapacity(side * side)
    for row in 0..<side {
      for column in 0..<side {
        let index = operations.count
        let operation: Operation = make(index)
        if row > 0 { operations.makeDependent(operation, on: index - side) }
        if column > 0 { operations.makeDependent(operation, on: index - 1) }
        operations.append(consume operation)
      }
    }
    return operations
  }
}

/// An operation of the square: a subclass, as programs write them, without a closure.
private class WavefrontOperation: Operation, @unchecked Sendable {
  private let index: Int32
  private let side: Int32
  private let slots: Slots

  init(_ index: Int, side: Int, _ slots: Slots) {
    self.index = Int32(index)
    self.side = Int32(side)
    self.slots = slots
    super.init()
  }

  override func main() { Wavefront.visit(Int(index), side: Int(side), slots) }
}

/// As the above, with a body that takes that long by the clock.
private final class BusyWavefrontOperation: WavefrontOperation, @unchecked Sendable {
  private let nanoseconds: UInt64

  init(_ index: Int, side: Int, _ slots: Slots, nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
    super.init(index, side: side, slots)
  }

  override func main() {
    super.main()
    WorkerHold.spin(nanoseconds: nanoseconds)
  }
}

extension WorkloadDescription {
  /// A square of operations that depend on their upper and left neighbours.
  package static let wavefront = WorkloadDescription(
    name: "wavefront",
    summary: "a square in which each operation depends on the one above and the one to the left",
    notShown: "wide release: no operation has more than two successors",
    tags: ["throughput", "dependency"],
    axes: [
      Axis(
        name: "n", summary: "side of the square; n times n operations", smoke: 8, quick: 100,
        real: 512, legal: 1...8192)
    ],
    make: { parameters throws(WorkloadError) in
      try Wavefront("wavefront", side: parameters["n"])
    })

  /// The same with bodies that take time.
  package static let wavefrontWork = WorkloadDescription(
    name: "wavefront-work",
    summary: "the square of wavefront with bodies that keep their worker busy by the clock",
    notShown: "cost per operation: wall is mostly the bodies",
    tags: ["throughput", "dependency"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "side of the square; n times n operations", smoke: 8, quick: 100,
        real: 256, legal: 1...8192),
      Axis(
        name: "body-ns", summary: "ns that a body takes", smoke: 1000, quick: 1000, real: 1000,
        legal: 1...1_000_000),
    ],
    make: { parameters throws(WorkloadError) in
      try Wavefront(
        "wavefront-work", side: parameters["n"], bodyNanoseconds: parameters["body-ns"])
    })
}
