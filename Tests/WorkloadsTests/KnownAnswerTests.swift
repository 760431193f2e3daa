// SPDX-License-Identifier: Apache-2.0

import CKernels
import Foundation
import Harness
import Testing

@testable import Workloads

/// Programs with known answers: what they wait for, and that another answer is found out.
@Suite struct KnownAnswerTests {
  private func run(_ workload: some Workload) throws {
    var recorder = IterationRecorder()
    try workload.iterate(on: TestScheduler.newestFirst.make(workers: 1), recorder: &recorder)
  }

  @Test func choleskyOfThreeTilesHasTheseSteps() {
    let plan = TilePlan.cholesky(tiles: 3)
    let steps = plan.steps.map { "\($0.kind) \($0.i)\($0.j)\($0.k)" }
    #expect(
      steps == [
        "diagonal 000", "column 100", "column 200", "update 110", "update 210", "update 220",
        "diagonal 111", "column 211", "update 221", "diagonal 222",
      ])
    #expect(
      plan.predecessors == [[], [0], [0], [1], [1, 2], [2], [3], [4, 6], [5, 7], [8]])
  }

  @Test func luOfTwoTilesHasTheseSteps() {
    let plan = TilePlan.lu(tiles: 2)
    #expect(plan.steps.map(\.kind) == [.diagonal, .row, .column, .update, .diagonal])
    #expect(plan.predecessors == [[], [0], [0], [1, 2], [3]])
    for step in plan.steps {
      let read = TileStep(word: step.word)
      #expect(read.kind == step.kind && read.i == step.i && read.j == step.j && read.k == step.k)
    }
  }

  @Test(arguments: [
    "cholesky", "lu", "matrix-multiply", "smith-waterman", "mergesort", "quicksort", "queens",
  ])
  func otherShapesWorkToo(name: String) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    for value in 1...4 {
      var parameters = description.parameters(at: .smoke)
      parameters.set(try #require(description.axes.first).name, to: .number(value))
      try run(try description.make(parameters))
    }
  }

  /// Every kernel does with OpenBLAS to a tile what the loop does.
  ///
  /// The library says itself that it has one thread; here no kernel starts another.
  @Test(.enabled(if: ctiles_finds_openblas() == 1, "libopenblas.so.0 is not there"))
  func kernelsOfOpenBLASDoWhatTheLoopsDo() throws {
    let size = 37
    let made = try TileKernels.allCases.map {
      try TiledMatrix(for: "test", tiles: 3, size: size, kernels: $0)
    }
    let threads = try threadCount()
    let kernels: [(name: String, run: (UInt) -> Void)] = [
      ("potrf", { ctiles_potrf($0, 0) }), ("trsm", { ctiles_trsm($0, 1, 0) }),
      ("gemm_transposed", { ctiles_gemm_transposed($0, 2, 1, 0) }),
      ("getrf", { ctiles_getrf($0, 1) }), ("trsm_row", { ctiles_trsm_row($0, 1, 2) }),
      ("trsm_column", { ctiles_trsm_column($0, 2, 1) }), ("gemm", { ctiles_gemm($0, 2, 2, 1) }),
    ]
    for (name, run) in kernels {
      for matrix in made {
        ctiles_fill(matrix.handle, 5, 1, Double(3 * size))
        run(matrix.handle)
      }
      let differences = (0..<3 * size * 3 * size).map { place in
        let (row, column) = place.quotientAndRemainder(dividingBy: 3 * size)
        let elements = made.map { ctiles_element($0.handle, row, column) }
        return abs(elements[0] - elements[1])
      }
      #expect(differences.allSatisfy { $0 < 1e-11 }, "\(name): \(differences.max() ?? 0)")
    }
    #expect(try threadCount() == threads)
  }

  private func threadCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
  }

  @Test(arguments: ["cholesky", "lu", "matrix-multiply"], TileKernels.allCases)
  func eachKindOfKernelFindsTheFactors(name: String, kernels: TileKernels) throws {
    guard kernels == .loops || ctiles_finds_openblas() == 1 else { return }
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    var parameters = description.parameters(at: .quick)
    parameters.set("blas", to: .word(kernels.rawValue))
    #expect(parameters.description.contains("blas:\(kernels)"))
    try run(try description.make(parameters))
  }

  /// A system of equations that has none of the factors in it.
  @Test func factorsOfAnotherMatrixHaveAResidual() throws {
    let first = try TiledMatrix(for: "test", tiles: 2, size: 3)
    let second = try TiledMatrix(for: "test", tiles: 2, size: 3)
    ctiles_fill(first.handle, 1, 1, 6)
    ctiles_copy(second.handle, first.handle)
    #expect(ctiles_cholesky_residual(first.handle, second.handle, 1) > 1e-3)
    #expect(ctiles_lu_residual(first.handle, second.handle, 1) > 1e-3)
    #expect(ctiles_product_residual(first.handle, first.handle, second.handle, 1) > 1e-3)
    ctiles_getrf(second.handle, 0)
    ctiles_trsm_row(second.handle, 0, 1)
    ctiles_trsm_column(second.handle, 1, 0)
    ctiles_gemm(second.handle, 1, 1, 0)
    #expect(ctiles_lu_residual(first.handle, second.handle, 1) > 1e-6, "the last step is missing")
    ctiles_getrf(second.handle, 1)
    #expect(ctiles_lu_residual(first.handle, second.handle, 1) < 1e-14)
  }

  @Test func aWordInThePlaceOfAnotherIsAWrongAnswer() throws {
    let array = try SortingArray(for: "test", count: 100, seed: 1)
    #expect(throws: WrongAnswer.self) { try array.check() }
    csorting_sort(array.handle, 0, 50)
    csorting_sort(array.handle, 50, 100)
    #expect(throws: WrongAnswer.self) { try array.check() }
    csorting_merge(array.handle, 0, 0, 50, 100)
    try array.check(inSecond: true)
    csorting_fill(array.handle, 2)
    csorting_sort(array.handle, 0, 100)
    #expect(throws: WrongAnswer.self) { try array.check() }
  }

  @Test(arguments: [2, 3, 24, 25, 1000]) func aSplitLeavesBothPartsAWord(count: Int) throws {
    for seed in 0..<50 {
      let array = try SortingArray(for: "test", count: count, seed: seed)
      let middle = csorting_split(array.handle, 0, count)
      #expect((1..<count).contains(middle))
      csorting_sort(array.handle, 0, middle)
      csorting_sort(array.handle, middle, count)
      try array.check()
    }
  }

  @Test(arguments: zip(4...9, [2, 10, 4, 40, 92, 352])) func queensAreCounted(
    count: Int, solutions: Int
  ) throws {
    #expect(Queens.known[count] == solutions)
    for depth in [0, 1, count] { try run(try Queens(count, depth: depth)) }
  }
}
