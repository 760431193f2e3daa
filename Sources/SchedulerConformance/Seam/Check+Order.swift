// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// The order in which jobs start, and how many run at a time.
  package static let order: [Check] = [
    Check("aChainStartsInPriorityOrderAndFirstInFirstOut", .seam(.exactOrder), on: .one) { trial in
      for seed: UInt64 in 1...3 {
        var random = SeededGenerator(seed: seed)
        let log = Log()
        var chain = JobChain()
        var expected: [[Int]] = Array(repeating: [], count: 5)
        for number in 0..<500 {
          let band = PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
          expected[Int(band.rawValue)].append(number)
          chain.append(ClosureJob.plain(band: band) { log.note(number) })
        }
        let scheduler = trial.makeScheduler()
        scheduler.submit(chain)
        trial.eventually(equals: 500, "the number of jobs that ran") { log.values.count }
        trial.expect(
          log.values, equals: expected.flatMap(\.self), "the order of starts, seed \(seed)")
      }
    },
    Check("jobsMadeReadyBySeveralWaysStartInExactOrder", .seam(.exactOrder), on: .one) { trial in
      for seed: UInt64 in 1...3 {
        var random = SeededGenerator(seed: seed)
        let scheduler = trial.makeScheduler()
        let log = Log()
        // A gate job adds jobs through the ready chain, the successor and nested submits; the model
        // does the same.
        var model = [[Int]](repeating: [], count: 5)
        var nested: [(PriorityBand, Int)] = []
        var ready: [(PriorityBand, Int)] = []
        for number in 0..<200 {
          let band = PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
          if random.index(below: 2) == 0 {
            nested.append((band, number))
          } else {
            ready.append((band, number))
          }
        }
        let successorBand =
          PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
        // Nested submits reach the queue while the job runs; then come the successor and the ready
        // jobs.
        for (band, number) in nested { model[Int(band.rawValue)].append(number) }
        model[Int(successorBand.rawValue)].append(1_000)
        for (band, number) in ready { model[Int(band.rawValue)].append(number) }
        scheduler.submit(
          JobChain(
            ClosureJob.make { [nested, ready] context in
              for (band, number) in nested { scheduler.submit(band: band) { log.note(number) } }
              for (band, number) in ready {
                context.ready.append(ClosureJob.plain(band: band) { log.note(number) })
              }
              return ClosureJob.plain(band: successorBand) { log.note(1_000) }
            }))
        trial.eventually(equals: 201, "the number of jobs that ran") { log.values.count }
        let (order, started) = (model.flatMap(\.self), log.values)
        let what = "the order of starts, seed \(seed)"
        if started.first == 1_000, order.first != 1_000 {
          // The most likely mistake, since it is what `runToCompletion` does when it is not told
          // otherwise.
          trial.fail(
            "\(what), to begin with jobs more urgent than the successor that a job returned",
            found: "that the successor ran in place, ahead of them; "
              + "WorkerContext.runToCompletion(_:bound:publish:) with bound: 0 publishes it instead"
          )
        } else {
          trial.expect(started, equals: order, what)
        }
      }
    },
    Check("urgentJobsOvertakeOthers", .seam(.bands), needs: [.ownThreads], on: .one) { trial in
      let scheduler = trial.makeScheduler()
      let log = Log()
      let (begun, hold) = (Turnstile(), Turnstile())
      scheduler.submit {
        begun.signal()
        hold.wait()
      }
      begun.wait()
      // All of them wait for the only worker: whatever it starts first it has chosen.
      for _ in 0..<200 { scheduler.submit(band: .veryLow) { log.note(1) } }
      for _ in 0..<200 { scheduler.submit(band: .veryHigh) { log.note(0) } }
      hold.signal()
      guard trial.eventually(equals: 400, "the number of jobs that ran", { log.values.count })
      else { return }
      // An ageing scheduler lets some others through; one without bands starts all of them first.
      let ahead = log.values.prefix(200).reduce(0, +)
      trial.expect(
        ahead < 100,
        "fewer than 100 of the first 200 jobs started to be of the least urgent band",
        found: "\(ahead)"
      )
    },
    Check("neverMoreJobsThanWorkersRunAtATime", .seam(.bound), needs: [.ownThreads]) { trial in
      let scheduler = trial.makeScheduler()
      let running = Atomic<Int>(0)
      let most = Atomic<Int>(0)
      let done = Atomic<Int>(0)
      var chain = JobChain()
      for number in 0..<1_000 {
        chain.append(
          ClosureJob.plain {
            let now = running.add(1, ordering: .relaxed).newValue
            most.max(now, ordering: .relaxed)
            // Long enough to overlap; now and then gives the core away in the middle.
            var spun = 0
            while spun < 200 { spun += 1 }
            if number % 4 == 0 { yieldCore() }
            running.subtract(1, ordering: .relaxed)
            done.add(1, ordering: .relaxed)
          })
      }
      scheduler.submit(chain)
      trial.eventually(equals: 1_000, "the number of jobs that ran") {
        done.load(ordering: .relaxed)
      }
      trial.expect(most.load(ordering: .relaxed), atMost: trial.workers, "jobs to run at a time")
    },
  ]
}
