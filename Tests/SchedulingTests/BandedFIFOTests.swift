// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import TestSupport
import Testing

/// The banded list against five arrays.
@Suite struct BandedFIFOTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func behavesLikeFiveArrays(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var list = BandedFIFO()
    var model: [[Job]] = Array(repeating: [], count: 5)
    var unrun = JobChain()
    func newJob() -> Job {
      let band = PriorityBand(rawValue: UInt8(random.index(below: 5))) ?? .normal
      let job = ClosureJob.plain(band: band) {}
      model[Int(band.rawValue)].append(job)
      return job
    }
    for _ in 0..<300 {
      switch random.index(below: 4) {
      case 0: list.append(newJob())
      case 1:
        var chain = JobChain()
        for _ in 0..<random.index(below: 5) { chain.append(newJob()) }
        list.append(chain)
      default:
        let expected = model.first { !$0.isEmpty }?.first
        #expect(list.first == expected)
        let popped = list.popFirst()
        #expect(popped == expected)
        if let popped {
          model[Int(popped.band.rawValue)].removeFirst()
          unrun.append(popped)
        }
      }
      #expect(list.count == model.map(\.count).reduce(0, +))
      #expect(list.isEmpty == model.allSatisfy(\.isEmpty))
      #expect(list.bands == model.indices.reduce(0) { $0 | (model[$1].isEmpty ? 0 : 1 << $1) })
    }
    while let job = list.popFirst() { unrun.append(job) }
    // Running frees the jobs.
    InlineScheduler().submit(unrun)
  }

  /// Taking jobs out of the middle leaves the others in order, and the last one is where it must
  /// be.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func acceptedJobsLeaveInOrder(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = JobQueue()
    var model: [QueuedJob] = []
    var unrun = JobChain()
    for _ in 0..<200 {
      let job = ClosureJob.plain(band: PriorityBand(lowBitsOf: UInt(random.index(below: 3)))) {}
      let isAwaited = random.index(below: 2) == 0
      let other = ClosureJob.plain(band: PriorityBand(lowBitsOf: UInt(random.index(below: 3)))) {}
      var chain = JobChain(job)
      chain.append(other)
      queue.add(chain, areAwaited: isAwaited)
      let added = [job, other].map { QueuedJob($0, isAwaited: isAwaited) }
      model.insert(contentsOf: added, at: isAwaited ? 0 : model.count)
      // Stable, so in the order of the model within each kind of a band.
      let sorted = model.sorted {
        ($0.job.band, $0.isAwaited ? 0 : 1) < ($1.job.band, $1.isAwaited ? 0 : 1)
      }
      let wanted = Set((0..<3).map { _ in model[random.index(below: model.count)].job })
      let expected: QueuedJob?
      let found: QueuedJob?
      switch random.index(below: 5) {
      case 0:
        expected = sorted.first
        found = queue.popFirst()
      case 1:
        expected = sorted.first { $0.isAwaited && wanted.contains($0.job) }
        found = queue.popAwaited(ifAccepted: wanted.contains)
      case 2:
        expected =
          sorted.first { $0.isAwaited && wanted.contains($0.job) }
          ?? sorted.first { wanted.contains($0.job) }
        found = queue.popFirst(ifAccepted: wanted.contains)
      default: continue
      }
      #expect(found == expected)
      if let found {
        model.removeAll { $0 == found }
        unrun.append(found.job)
      }
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
      #expect(queue.bands == model.reduce(0) { $0 | $1.job.band.mask })
    }
    while let job = queue.popFirst() { unrun.append(job.job) }
    // Running frees the jobs.
    InlineScheduler().submit(unrun)
  }

  @Test func aJobStartsAheadOnlyOfLessUrgentBands() {
    let waiting = ClosureJob.plain(band: .normal) {}
    let others = (0..<UInt8(5)).compactMap(PriorityBand.init(rawValue:)).map {
      ClosureJob.plain(band: $0) {}
    }
    var list = BandedFIFO()
    #expect(others.allSatisfy { list.startsAhead($0) })
    list.append(waiting)
    #expect(others.map { list.startsAhead($0) } == [true, true, false, false, false])
    var unrun = JobChain(waiting)
    for job in others { unrun.append(job) }
    InlineScheduler().submit(unrun)
  }
}
