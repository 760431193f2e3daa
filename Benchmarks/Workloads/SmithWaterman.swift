// SPDX-License-Identifier: Apache-2.0

internal import CKernels
package import Harness

/// Local alignment of two sequences in blocks; each waits for the one above and the one to the
/// left.
///
/// Stresses: a wavefront whose operations do real work, so that what counts is how soon the next
/// diagonal is known. Does not show: fast alignment; the kernel is a plain loop. The answer is
/// every score of the serial table.
enum SmithWaterman {
  /// A block, by the number of its node, row by row.
  struct Body: NodeBody {
    let alignment: UInt
    let blocks: Int

    func run(_ node: Int) { _ = calign_block(alignment, node / blocks, node % blocks) }
  }

  /// Owns one table of scores.
  private final class Table {
    let handle: UInt

    init(blocks: Int, size: Int, seed: Int) throws(WorkloadError) {
      handle = calign_make(blocks, size, UInt64(seed))
      guard handle != 0 else { throw .noMemory("smith-waterman", blocks * size * blocks * size) }
    }

    deinit { calign_drop(handle) }
  }

  static func make(blocks: Int, size: Int, seed: Int) throws(WorkloadError) -> GraphProgram<Body> {
    let name = "smith-waterman"
    let table = try Table(blocks: blocks, size: size, seed: seed)
    let serial = try Table(blocks: blocks, size: size, seed: seed)
    let lists = try PredecessorLists(for: name, count: blocks * blocks) { node, add in
      if node >= blocks { add(node - blocks) }
      if node % blocks > 0 { add(node - 1) }
    }
    let reference = Body(alignment: serial.handle, blocks: blocks)
    for node in 0..<lists.count { reference.run(node) }
    return try GraphProgram(
      name, lists, as: .operations, body: Body(alignment: table.handle, blocks: blocks),
      prepare: { calign_clear(table.handle) }
    ) { () throws(WrongAnswer) in
      guard calign_equal(table.handle, serial.handle) != 0 else {
        throw WrongAnswer(
          message:
            "\(name): the table has other scores than the serial reference; expected the same")
      }
    }
  }
}

extension WorkloadDescription {
  /// Local alignment.
  package static let smithWaterman = WorkloadDescription(
    name: "smith-waterman",
    summary: "alignment of two sequences in blocks that wait for those above and to the left",
    notShown: "fast alignment: the kernel is a plain loop",
    tags: ["throughput", "dependency", "known-answer"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "blocks", summary: "blocks of a row", smoke: 5, quick: 16, real: 64, legal: 1...4096),
      Axis(
        name: "size", summary: "letters of a block", smoke: 4, quick: 16, real: 32, legal: 1...4096),
      Axis(name: "seed", summary: "seed of the sequences", always: 1, legal: .numbers(0...Int.max)),
    ],
    metrics: ["edges"],
    iterationSeconds: {
      let letters = Double($0["blocks"] * $0["size"])
      return letters * letters * 2e-9
    },
    make: { parameters throws(WorkloadError) in
      try SmithWaterman.make(
        blocks: parameters["blocks"], size: parameters["size"], seed: parameters["seed"])
    })
}
