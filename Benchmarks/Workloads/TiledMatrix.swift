// SPDX-License-Identifier: Apache-2.0

internal import CKernels
internal import Harness

/// What does the arithmetic on tiles; the value of the axis `blas`.
package enum TileKernels: String, CaseIterable, Sendable {
  /// OpenBLAS with one thread, but for LU of a diagonal tile: LAPACK has none without pivoting.
  case openblas
  /// Plain loops.
  case loops

  /// OpenBLAS where its library is there.
  package static let builtIn: TileKernels = ctiles_finds_openblas() == 1 ? .openblas : .loops
}

/// Owns a matrix of square tiles.
final class TiledMatrix {
  /// What the functions of `CKernels` take.
  let handle: UInt

  /// A zeroed matrix of `tiles` by `tiles` tiles of `size` by `size`.
  ///
  /// - Throws: When there is no memory, or no OpenBLAS with one thread for those kernels.
  init(
    for name: String, tiles: Int, size: Int, kernels: TileKernels = .loops
  ) throws(WorkloadError) {
    guard kernels == .loops || ctiles_load_openblas() == 1 else {
      throw WorkloadError(
        message: "\(name): no libopenblas.so.0 that runs with one thread; install libopenblas0, or "
          + "ask for --where blas=loops",
        reason: "no-openblas")
    }
    handle = ctiles_make(tiles, size, kernels == .openblas ? 1 : 0)
    guard handle != 0 else { throw .noMemory(name, tiles * tiles * size * size) }
  }

  deinit { ctiles_drop(handle) }
}

/// One step of a program on tiles: what is done, and where.
struct TileStep {
  enum Kind: UInt64 { case diagonal, row, column, update }

  let kind: Kind
  let i: Int
  let j: Int
  let k: Int

  /// In one word, for a body that captures no array.
  var word: UInt64 {
    kind.rawValue << 48 | UInt64(i) << 32 | UInt64(j) << 16 | UInt64(k)
  }

  init(_ kind: Kind, _ i: Int, _ j: Int, _ k: Int) {
    self.kind = kind
    self.i = i
    self.j = j
    self.k = k
  }

  @inline(__always) init(word: UInt64) {
    kind = Kind(rawValue: word >> 48) ?? .update
    i = Int(word >> 32 & 0xffff)
    j = Int(word >> 16 & 0xffff)
    k = Int(word & 0xffff)
  }
}

/// Steps in the order in which one thread does them, with what each has to wait for: the step that
/// last wrote a tile that it reads or writes.
///
/// Nobody overwrites a tile that another step has still to read, so that these are all edges.
struct TilePlan {
  private(set) var steps: [TileStep] = []
  private(set) var predecessors: [[Int]] = []
  private var writers: [Int: Int] = [:]
  private let tiles: Int

  init(tiles: Int) { self.tiles = tiles }

  /// Adds a step that writes the tile `i`, `j` and reads others.
  mutating func add(_ step: TileStep, writes tile: (Int, Int), reads: [(Int, Int)] = []) {
    let touched = ([tile] + reads).compactMap { writers[$0.0 * tiles + $0.1] }
    predecessors.append(Array(Set(touched)).sorted())
    writers[tile.0 * tiles + tile.1] = steps.count
    steps.append(step)
  }

  /// Cholesky of the lower part.
  static func cholesky(tiles: Int) -> TilePlan {
    var plan = TilePlan(tiles: tiles)
    for k in 0..<tiles {
      plan.add(TileStep(.diagonal, k, k, k), writes: (k, k))
      for i in k + 1..<max(tiles, k + 1) {
        plan.add(TileStep(.column, i, k, k), writes: (i, k), reads: [(k, k)])
      }
      for i in k + 1..<max(tiles, k + 1) {
        for j in k + 1...i {
          plan.add(TileStep(.update, i, j, k), writes: (i, j), reads: [(i, k), (j, k)])
        }
      }
    }
    return plan
  }

  /// LU without pivoting.
  static func lu(tiles: Int) -> TilePlan {
    var plan = TilePlan(tiles: tiles)
    for k in 0..<tiles {
      let rest = k + 1..<max(tiles, k + 1)
      plan.add(TileStep(.diagonal, k, k, k), writes: (k, k))
      for j in rest { plan.add(TileStep(.row, k, j, k), writes: (k, j), reads: [(k, k)]) }
      for i in rest { plan.add(TileStep(.column, i, k, k), writes: (i, k), reads: [(k, k)]) }
      for i in rest {
        for j in rest {
          plan.add(TileStep(.update, i, j, k), writes: (i, j), reads: [(i, k), (k, j)])
        }
      }
    }
    return plan
  }
}
