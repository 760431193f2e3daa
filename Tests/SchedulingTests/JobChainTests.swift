// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import TestSupport
import Testing

/// The chain against an array.
@Suite struct JobChainTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func behavesLikeAnArray(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var chain = JobChain()
    var model: [Job] = []
    var unrun = JobChain()
    func newJob() -> Job {
      ClosureJob.plain(band: PriorityBand(rawValue: UInt8(random.index(below: 5))) ?? .normal) {}
    }
    for _ in 0..<300 {
      switch random.index(below: 5) {
      case 0:
        let job = newJob()
        chain.append(job)
        model.append(job)
      case 1:
        let job = newJob()
        chain.prepend(job)
        model.insert(job, at: 0)
      case 2:
        var other = JobChain()
        for _ in 0..<random.index(below: 4) {
          let job = newJob()
          other.append(job)
          model.append(job)
        }
        chain.append(other)
      case 3 where random.index(below: 10) == 0:
        unrun.append(chain.take())
        model = []
      default:
        let job = chain.popFirst()
        #expect(job == model.first)
        if let job {
          #expect(job.next == nil)
          model.removeFirst()
          unrun.append(job)
        }
      }
      #expect(chain.count == model.count)
      #expect(chain.isEmpty == model.isEmpty)
      #expect(chain.first == model.first)
      #expect(chain.last == model.last)
      #expect(model.allSatisfy { chain.bands & $0.band.mask != 0 })
      if model.isEmpty { #expect(chain.bands == 0) }
    }
    unrun.append(chain.take())
    InlineScheduler().submit(unrun)
  }

  @Test func aMovedJobDiffersOnlyInItsBand() {
    let job = ClosureJob.plain(band: .low) {}
    let moved = job.moved(to: .veryHigh)
    #expect(moved.band == .veryHigh)
    #expect(moved.moved(to: .low) == job)
    InlineScheduler().submit(JobChain(moved))
  }
}
