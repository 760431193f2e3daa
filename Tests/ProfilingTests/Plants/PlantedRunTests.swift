// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import Testing
import Traces

import class Foundation.ProcessInfo

@testable import Profiling

extension RecordingTests {
  /// Runs whose operations wait for a known reason: the recording has to blame that one.
  ///
  /// `scripts/planted-causes` runs each of them many times and shows the shares.
  @Suite struct PlantedRunTests {
    /// How many runs of each are to be shown, each of which has to fit; nil for one that fits.
    private static let shown =
      ProcessInfo.processInfo.environment["BENCH_PLANTED_RUNS"].flatMap { Int($0) }
    /// A busy machine takes a worker's processor for milliseconds, which is another cause; so one
    /// of several runs has to fit.
    private static let attempts = 6
    /// Longer runs where every one has to fit: until Linux has given each worker a processor of its
    /// own, two may have to share one for some milliseconds, whatever was planted.
    static let operations = shown == nil ? 2_000 : 4_000

    @Test(arguments: Plant.allCases)
    func aPlantedCauseIsBlamedForNineTenthsOfTheWait(plant: Plant) throws {
      try Self.judge("\(plant)") {
        let shares = try Self.recorded(on: PlantedScheduler(workers: 2)) { scheduler in
          plant.run(on: scheduler, operations: Self.operations)
        }.shares
        return (shares, shares.share(of: plant.cause) >= 0.9)
      }
    }

    @Test(arguments: Plant.allCases.filter(\.isOfProgram), [Kind.workStealing, .threadPool])
    func whatTheProgramDoesIsBlamedOnEveryScheduler(plant: Plant, kind: Kind) throws {
      try Self.judge("\(plant) on \(kind.rawValue)") {
        let shares = try Self.recorded(on: kind.make(workers: 2)) { scheduler in
          plant.run(on: scheduler, operations: Self.operations)
        }.shares
        return (shares, shares.share(of: plant.cause) >= 0.9)
      }
    }

    /// Every pair, one after the other on one scheduler; the wait of each half is its cause's.
    @Test(arguments: Plant.allCases, Plant.allCases)
    func mixturesOfTwoAreWithinTenPoints(first: Plant, second: Plant) throws {
      // Each pair once.
      let order = Plant.allCases
      guard let place = order.firstIndex(of: first), order[..<place].contains(second) else {
        return
      }
      try Self.judge("\(first), then \(second)") {
        let (trace, shares) = try Self.recorded(on: PlantedScheduler(workers: 2)) { scheduler in
          first.run(on: scheduler, operations: Self.operations)
          second.run(on: scheduler, operations: Self.operations * 3 / 2)
        }
        let truth = Self.wait(trace, ofQueueNamed: "\(first)") / Double(max(1, shares.total))
        let errors = (
          shares.share(of: first.cause) - truth, shares.share(of: second.cause) - (1 - truth)
        )
        return (shares, abs(errors.0) <= 0.1 && abs(errors.1) <= 0.1)
      }
    }

    @Test(arguments: [0, 3], [Kind.workStealing, .threadPool])
    func aRunWithoutAPlantBlamesNone(predecessors: Int, kind: Kind) throws {
      try Self.judge("no plant, \(predecessors) predecessors, \(kind.rawValue)") {
        let shares = try Self.recorded(on: kind.make(workers: 2)) { scheduler in
          Self.runLayers(on: scheduler, predecessors: predecessors)
        }.shares
        return (shares, Plant.allCases.allSatisfy { shares.share(of: $0.cause) <= 0.2 })
      }
    }

    private static func judge(
      _ what: String, _ run: () throws -> (shares: WaitShares, fits: Bool)
    ) throws {
      var found: [String] = []
      for _ in 0..<(shown ?? attempts) {
        let (shares, fits) = try run()
        found.append(shares.percentages)
        guard shown != nil else {
          if fits { return }
          continue
        }
        print("planted:", fits ? "fits" : "MISSES", what, "->", shares.percentages)
      }
      if shown == nil { Issue.record("\(what): no run of \(attempts) fits: \(found)") }
    }

    /// Layers of operations of 20 µs, each of which waits for some of the layer before.
    ///
    /// They begin when all have been added: a thread that adds wants a processor too.
    private static func runLayers(on scheduler: any Scheduler, predecessors: Int) {
      let queue = OperationQueue(scheduler: scheduler)
      queue.isSuspended = true
      var all: [Operation] = []
      for place in 0..<operations {
        let operation = BlockOperation { Plant.spin(20_000) }
        let (layer, column) = (place / 100, place % 100)
        if layer > 0 {
          for step in 0..<predecessors {
            let other = (column * 7 + step * 31) % 100
            operation.addDependency(all[(layer - 1) * 100 + other])
          }
        }
        all.append(operation)
        queue.addOperation(operation)
      }
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }

    private static func recorded(
      on scheduler: any Scheduler, _ body: (any Scheduler) -> Void
    ) throws -> (trace: Trace, shares: WaitShares) {
      let recorder = try Recorder.begin(RecordingOptions(ringEvents: 1 << 17))
      body(scheduler)
      let trace = recorder.end(scheduler: "", workers: scheduler.workerCount)
      scheduler.shutDown()
      return (trace, try #require(TraceReport(trace).graph).causes.total)
    }

    private static func wait(_ trace: Trace, ofQueueNamed name: String) -> Double {
      trace.operations.reduce(0) { sum, operation in
        let queue = operation.queue
        guard queue >= 0, trace.names[Int(trace.queues[Int(queue)].name)] == name else {
          return sum
        }
        // No operation depends on another, so each waits from the moment on that it is added.
        guard let added = operation.enqueued, let started = operation.started else { return sum }
        return sum + Double(started - added)
      }
    }
  }
}

extension WaitShares {
  /// Every cause that has some of the wait.
  fileprivate var percentages: String {
    WaitCause.allCases.filter { self[$0] > 0 }
      .map { "\($0) \((share(of: $0) * 1000).rounded() / 10)" }.joined(separator: ", ")
  }
}
