// SPDX-License-Identifier: Apache-2.0

internal import CKernels
package import Harness

/// Tiled Cholesky and LU: an operation for each step on a tile, with the dependences of its tiles.
///
/// Stresses: graphs of few, long operations whose critical path matters, with wide steps that
/// others wait for. Does not show: a linear-algebra library; every system calls the same kernels.
/// The answer is the residual of the factors, by a random vector.
enum Factorization {
  /// Which one.
  enum Method: String { case cholesky, lu }

  /// The greatest residual, relative to the greatest element.
  static let tolerance = 1e-10

  /// A step on the matrix, by the number of its node.
  struct Body: NodeBody {
    let method: Method
    let matrix: UInt
    let steps: Stamps

    func run(_ node: Int) {
      let step = TileStep(word: steps[node])
      switch (method, step.kind) {
      case (.cholesky, .diagonal): ctiles_potrf(matrix, step.k)
      case (.cholesky, .column): ctiles_trsm(matrix, step.i, step.k)
      case (.cholesky, _): ctiles_gemm_transposed(matrix, step.i, step.j, step.k)
      case (.lu, .diagonal): ctiles_getrf(matrix, step.k)
      case (.lu, .row): ctiles_trsm_row(matrix, step.k, step.j)
      case (.lu, .column): ctiles_trsm_column(matrix, step.i, step.k)
      case (.lu, .update): ctiles_gemm(matrix, step.i, step.j, step.k)
      }
    }
  }

  /// The workload.
  static func make(
    _ method: Method, _ parameters: Parameters
  ) throws(WorkloadError) -> GraphProgram<Body> {
    let name = method.rawValue
    let tiles = parameters["tiles"]
    let size = parameters["size"]
    let seed = parameters["seed"]
    let plan = method == .cholesky ? TilePlan.cholesky(tiles: tiles) : .lu(tiles: tiles)
    let original = try TiledMatrix(for: name, tiles: tiles, size: size)
    let factors = try TiledMatrix(
      for: name, tiles: tiles, size: size, kernels: parameters.tileKernels)
    // The sum of a row's elements is less than this, so that no pivot is near 0.
    ctiles_fill(
      original.handle, UInt64(seed), method == .cholesky ? 1 : 0, Double(tiles * size))
    let steps = try StampStorage(for: name, count: plan.steps.count)
    for (node, step) in plan.steps.enumerated() { steps.stamps[node] = step.word }
    let lists = try PredecessorLists(for: name, count: plan.steps.count) { node, add in
      plan.predecessors[node].forEach(add)
    }
    return try GraphProgram(
      name, lists, as: .operations,
      body: Body(method: method, matrix: factors.handle, steps: steps.stamps),
      prepare: { ctiles_copy(factors.handle, original.handle) }
    ) { () throws(WrongAnswer) in
      let residual = withExtendedLifetime(steps) {
        method == .cholesky
          ? ctiles_cholesky_residual(original.handle, factors.handle, UInt64(seed))
          : ctiles_lu_residual(original.handle, factors.handle, UInt64(seed))
      }
      guard residual < tolerance else {
        throw WrongAnswer(
          message: "\(name): the factors have a residual of \(residual); expected less than "
            + "\(tolerance)")
      }
    }
  }
}

/// Blocked matrix multiplication: an operation for each tile of the product, without dependences.
enum MatrixMultiply {
  /// A tile of the product, by the number of its node.
  struct Body: NodeBody {
    let product: UInt
    let left: UInt
    let right: UInt
    let tiles: Int

    func run(_ node: Int) {
      ctiles_multiply(product, left, right, node / tiles, node % tiles)
    }
  }

  /// The workload.
  static func make(_ parameters: Parameters) throws(WorkloadError) -> GraphProgram<Body> {
    let name = "matrix-multiply"
    let tiles = parameters["tiles"]
    let size = parameters["size"]
    let seed = parameters["seed"]
    let zero = try TiledMatrix(for: name, tiles: tiles, size: size)
    let product = try TiledMatrix(
      for: name, tiles: tiles, size: size, kernels: parameters.tileKernels)
    let left = try TiledMatrix(for: name, tiles: tiles, size: size)
    let right = try TiledMatrix(for: name, tiles: tiles, size: size)
    ctiles_fill(left.handle, UInt64(seed), 0, 0)
    ctiles_fill(right.handle, UInt64(seed) &+ 1, 0, 0)
    let lists = try PredecessorLists(for: name, count: tiles * tiles) { _, _ in }
    return try GraphProgram(
      name, lists, as: .operations,
      body: Body(
        product: product.handle, left: left.handle, right: right.handle, tiles: tiles),
      prepare: { ctiles_copy(product.handle, zero.handle) }
    ) { () throws(WrongAnswer) in
      let residual = ctiles_product_residual(
        product.handle, left.handle, right.handle, UInt64(seed))
      guard residual < Factorization.tolerance else {
        throw WrongAnswer(
          message: "\(name): the product has a residual of \(residual); expected less than "
            + "\(Factorization.tolerance)")
      }
    }
  }
}

extension WorkloadDescription {
  private static let tileAxes = [
    Axis(name: "tiles", summary: "tiles of a row", smoke: 4, quick: 8, real: 16, legal: 1...512),
    Axis(
      name: "size", summary: "rows of a tile", smoke: 5, quick: 16, real: 32, legal: 1...1024),
    Axis(name: "seed", summary: "seed of the elements", always: 1, legal: .numbers(0...Int.max)),
    Axis(
      name: "blas", summary: "arithmetic on a tile; openblas where its library is there",
      always: .word(TileKernels.builtIn.rawValue),
      legal: .words(TileKernels.allCases.map(\.rawValue))),
  ]

  /// What an iteration takes: so many multiplications.
  @Sendable private static func seconds(_ parameters: Parameters, parts: Double) -> Double {
    let side = Double(parameters["tiles"] * parameters["size"])
    return side * side * side / parts * (parameters.tileKernels == .loops ? 0.5e-9 : 0.2e-9)
  }

  /// Tiled Cholesky.
  package static let cholesky = WorkloadDescription(
    name: "cholesky",
    summary: "tiled Cholesky factorization: few, long operations with a critical path",
    notShown: "a linear-algebra library: all systems call the same kernels",
    tags: ["throughput", "dependency", "known-answer"],
    runsByDefault: false, axes: tileAxes, metrics: ["edges"],
    iterationSeconds: { seconds($0, parts: 3) },
    make: { parameters throws(WorkloadError) in
      try Factorization.make(.cholesky, parameters)
    })

  /// Tiled LU.
  package static let lu = WorkloadDescription(
    name: "lu",
    summary: "tiled LU factorization without pivoting: rows and columns that many updates wait for",
    notShown: "a linear-algebra library: all systems call the same kernels",
    tags: ["throughput", "dependency", "known-answer"],
    runsByDefault: false, axes: tileAxes, metrics: ["edges"],
    iterationSeconds: { seconds($0, parts: 1.5) },
    make: { parameters throws(WorkloadError) in
      try Factorization.make(.lu, parameters)
    })

  /// Blocked matrix multiplication.
  package static let matrixMultiply = WorkloadDescription(
    name: "matrix-multiply",
    summary: "blocked matrix multiplication: an operation for each tile of the product",
    notShown: "dependences: no operation waits for another",
    tags: ["throughput", "known-answer"],
    runsByDefault: false, axes: tileAxes, metrics: ["edges"],
    iterationSeconds: { seconds($0, parts: 1) },
    make: { parameters throws(WorkloadError) in
      try MatrixMultiply.make(parameters)
    })
}

extension Parameters {
  /// What the axis `blas` asks for.
  fileprivate var tileKernels: TileKernels { TileKernels(rawValue: word("blas")) ?? .loops }
}
