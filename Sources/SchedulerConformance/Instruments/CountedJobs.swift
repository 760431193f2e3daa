// SPDX-License-Identifier: Apache-2.0

package import Scheduling
internal import Synchronization

/// Jobs that count their runs and stay where they are, so that a job that runs twice is a finding
/// and no crash.
@safe package final class CountedJobs: Sendable {
  @unsafe private struct Cell: ~Copyable {
    let header: JobHeader
    let runs = Atomic<Int>(0)
    let isBack = Atomic<Bool>(false)
    let total: UnsafeMutablePointer<Total>
  }

  private struct Total: ~Copyable {
    let runs = Atomic<Int>(0)
    let back = Atomic<Int>(0)
  }

  private nonisolated(unsafe) let cells: UnsafeMutablePointer<Cell>
  private nonisolated(unsafe) let sum: UnsafeMutablePointer<Total>
  /// How many jobs there are.
  package let count: Int

  /// That many jobs, none of them submitted.
  package init(count: Int) {
    self.count = count
    unsafe cells = .allocate(capacity: count)
    unsafe sum = .allocate(capacity: 1)
    unsafe sum.initialize(to: Total())
    for number in 0..<count {
      let header = unsafe JobHeader(run: { header, _ in
        // SAFETY: the seam passes the header below, the first property of a cell that outlives its
        // runs.
        let cell = unsafe header.assumingMemoryBound(to: Cell.self)
        // relaxed: ordered by the total.
        unsafe cell.pointee.runs.add(1, ordering: .relaxed)
        // release: pairs with the acquire in `runs`.
        unsafe cell.pointee.total.pointee.runs.add(1, ordering: .releasing)
        return 0
      })
      unsafe (cells + number).initialize(to: Cell(header: header, total: sum))
    }
  }

  deinit {
    // A scheduler that lost a job, ran one twice or ran what it gave back may still come back to
    // it: then the memory stays.
    guard areSettled, repeated.isEmpty, ranAndCameBack.isEmpty else { return }
    unsafe cells.deinitialize(count: count)
    unsafe cells.deallocate()
    unsafe sum.deinitialize(count: 1)
    unsafe sum.deallocate()
  }

  /// The job of this number; to be submitted once.
  package func job(_ number: Int, band: PriorityBand = .normal) -> Job {
    // SAFETY: `header` is the first stored property, so it has the address of the cell.
    unsafe Job(
      header: UnsafeMutableRawPointer(cells + number).assumingMemoryBound(to: JobHeader.self),
      band: band)
  }

  /// Notes that the job of this number will not run, since the scheduler refused it or gave it
  /// back.
  package func comesBack(_ number: Int) {
    // relaxed: ordered by the total.
    let wasBack = unsafe (cells + number).pointee.isBack.exchange(true, ordering: .relaxed)
    guard !wasBack else { return }
    // release: pairs with the acquire in `back`.
    unsafe sum.pointee.back.add(1, ordering: .releasing)
  }

  /// How many jobs came back.
  package var back: Int {
    unsafe sum.pointee.back.load(ordering: .acquiring)  // acquire: pairs with the release above.
  }

  /// Whether as many jobs as there are have run or come back.
  package var areSettled: Bool { back + runs == count }

  /// Jobs that came back and ran nevertheless.
  package var ranAndCameBack: [Int] { (0..<count).filter { isBack($0) && runs(of: $0) > 0 } }

  /// Jobs that neither came back nor ran.
  package var lost: [Int] { (0..<count).filter { !isBack($0) && runs(of: $0) == 0 } }

  private func isBack(_ number: Int) -> Bool {
    // relaxed: ordered by `back`.
    unsafe (cells + number).pointee.isBack.load(ordering: .relaxed)
  }

  /// Runs of all jobs.
  package var runs: Int {
    unsafe sum.pointee.runs.load(ordering: .acquiring)  // acquire: pairs with the release of a run.
  }

  /// How often the job of this number has run.
  private func runs(of number: Int) -> Int {
    unsafe (cells + number).pointee.runs.load(ordering: .relaxed)  // relaxed: ordered by `runs`.
  }

  /// Jobs that ran more than once.
  package var repeated: [Int] { (0..<count).filter { runs(of: $0) > 1 } }

  /// Jobs that did not run.
  package var missing: [Int] { (0..<count).filter { runs(of: $0) == 0 } }
}
