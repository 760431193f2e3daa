// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import DispatchBackend
import Foundation
import SchedulerConformance
import Scheduling
import ThreadPoolBackend
import WorkStealingBackend

/// Random graphs on one scheduler for a given time: a program for `scripts/soak`.
///
///     SoakFixture SCHEDULER SECONDS SEED
///
/// A round makes the scheduler with 1, 2, … 8 workers, one after the other, runs graphs with every
/// kind of disturbance on each and lets it go. After a round nothing is alive, and a line `graphs
/// NUMBER` tells whoever watches that the program does not hang. A fault ends the program with
/// status 1 and the seed.
@main enum SoakFixture {
  private static let graphsPerScheduler = 100
  private static let patience = Duration.seconds(120)

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 3, let make = maker(arguments[0]), let seconds = UInt64(arguments[1]),
      let first = UInt64(arguments[2])
    else {
      fatalError(
        "usage: SoakFixture dispatch|thread-pool|work-stealing|inline SECONDS SEED, not \(arguments)"
      )
    }
    let end = MonotonicTime.nanoseconds() + seconds * 1_000_000_000
    let lifetimes = LifetimeCounter()
    var seed = first
    repeat {
      for workers in 1...8 {
        let scheduler = make(workers)
        for _ in 0..<graphsPerScheduler {
          let disturbance = Disturbance.variants[Int(seed % UInt64(Disturbance.variants.count))]
          if let fault = disturbance.fault(
            seed: seed, on: scheduler, lifetimes: lifetimes, patience: patience)
          {
            stop("\(workers) workers: \(fault)")
          }
          seed += 1
        }
      }
      guard waitUntil(deadline: patience, { lifetimes.live == 0 }) else {
        stop("\(lifetimes.live) bodies are alive after the graphs up to seed \(seed - 1)")
      }
      print("graphs \(seed - first)")
      fflush(nil)
    } while MonotonicTime.nanoseconds() < end
  }

  private static func maker(_ name: String) -> ((Int) -> any Scheduler)? {
    switch name {
    case "dispatch": { DispatchScheduler(workers: $0) }
    case "thread-pool": { ThreadPoolScheduler(workers: $0) }
    case "work-stealing": { WorkStealingScheduler(workers: $0) }
    case "inline": { _ in InlineScheduler() }
    default: nil
    }
  }

  private static func stop(_ fault: String) -> Never {
    FileHandle.standardError.write(Data("\(fault)\n".utf8))
    exit(1)
  }
}
