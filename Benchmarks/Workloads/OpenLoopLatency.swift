// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Operations at given times, whether or not the ones before have started.
///
/// Stresses: what users wait for at a rate that they decide. Does not show: throughput; the rate is
/// given. `latency` is from the intended submission, `latency-uncorrected` from the real one, which
/// hides what a submitter that is late makes users wait (coordinated omission). With `stall-ns` the
/// submitter loses that time once in every 50 times of it.
package final class OpenLoopLatency: Workload {
  private let loop: OpenLoop
  private let stall: UInt64

  /// Between two stalls, in stalls.
  private static let stallPeriod: UInt64 = 50

  init(_ process: ArrivalProcess, count: Int, hold: Int, stall: Int) throws(WorkloadError) {
    let times = process.times(count)
    loop = try OpenLoop("open-loop", times.map { Arrival(time: $0, hold: UInt64(hold)) })
    self.stall = UInt64(stall)
  }

  package var operationsPerIteration: Int { loop.arrivals.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    var next = stall * Self.stallPeriod / 2
    let (arrivals, stall) = (loop.arrivals, stall)
    let times = try loop.run(
      on: scheduler, recorder: &recorder,
      stall: { index in
        guard stall > 0, arrivals[index].time >= next else { return 0 }
        next += stall * Self.stallPeriod
        return stall
      })
    for index in arrivals.indices {
      recorder.latency(nanoseconds: times.latency(index))
      recorder.sample("latency-uncorrected", times.uncorrectedLatency(index))
    }
  }
}

/// The highest rate at which the 99th percentile of the latency keeps a limit: an iteration is a
/// whole search.
///
/// Stresses: how close to their capacity workers may be driven. Does not show: latency at one rate:
/// see open-loop. `wall` is the time of the search and says nothing of the scheduler.
package final class Knee: Workload {
  private let count: Int
  private let hold: Int
  private let limit: UInt64
  private let kind: ArrivalProcess.Kind
  private let seed: UInt64

  /// Steps of the search, each of which halves the range of rates.
  private static let steps = 7

  init(_ kind: ArrivalProcess.Kind, count: Int, hold: Int, limit: Int, seed: Int) {
    self.kind = kind
    self.count = count
    self.hold = hold
    self.limit = UInt64(limit)
    self.seed = UInt64(seed)
  }

  package var operationsPerIteration: Int { count * Self.steps }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    recorder.begin()
    recorder.built()
    // From a hundredth of what the workers can do to twice that, in equal factors.
    let capacity = Double(scheduler.workerCount) * 1e9 / Double(max(hold, 100))
    var (low, high) = (capacity / 100, capacity * 2)
    for _ in 0..<Self.steps {
      let rate = (low * high).squareRoot()
      if try percentile(at: rate, on: scheduler) <= limit { low = rate } else { high = rate }
    }
    recorder.ran()
    recorder.released()
    recorder.value("knee", low)
  }

  private func percentile(at rate: Double, on scheduler: any Scheduler) throws(WrongAnswer)
    -> UInt64
  {
    let process = ArrivalProcess(kind: kind, interval: 1e9 / rate, seed: seed)
    let loop: OpenLoop
    do throws(WorkloadError) {
      loop = try OpenLoop(
        "knee", process.times(count).map { Arrival(time: $0, hold: UInt64(hold)) })
    } catch { throw WrongAnswer(message: error.message) }
    var own = IterationRecorder()
    let times = try loop.run(on: scheduler, recorder: &own)
    let latencies = loop.arrivals.indices.map(times.latency).sorted()
    return latencies[min(count * 99 / 100, count - 1)]
  }
}

/// One operation that adds the next one to the other of two queues, back and forth, in several
/// games at once.
///
/// Stresses: handing over between queues, and waking a worker for one operation. Does not show:
/// throughput of many operations. Run is the time of a hop.
package final class PingPong: Workload {
  private let games: Int
  private let hops: Int
  private let storage: SlotStorage

  init(games: Int, hops: Int) throws(WorkloadError) {
    self.games = games
    self.hops = hops
    storage = try SlotStorage(for: "ping-pong", count: games * hops)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, hops) = (storage.slots, hops)
    let second = OperationQueue(scheduler: scheduler)
    let balls = TokenCount(games)
    try TimedIteration.run("ping-pong", on: scheduler, recorder: &recorder) {
      queue throws(WrongAnswer) in
      let tables = Tables(
        near: BorrowedQueue(queue), far: BorrowedQueue(second), balls: BorrowedTokenCount(balls))
      for game in 0..<games { Self.hit(game * hops, of: (game + 1) * hops, slots, tables) }
      try balls.wait(for: [queue, second], "ping-pong")
    }
    withExtendedLifetime((second, balls)) {}
    try storage.checkIteration(of: "ping-pong")
  }

  /// Between which queues a ball goes, as the one who has it sees them.
  private struct Tables: Sendable {
    let near: BorrowedQueue
    let far: BorrowedQueue
    let balls: BorrowedTokenCount

    var fromTheOther: Tables { Tables(near: far, far: near, balls: balls) }
  }

  private static func hit(_ index: Int, of end: Int, _ slots: Slots, _ tables: Tables) {
    tables.near.addOperation {
      slots.increment(index)
      if index + 1 < end {
        hit(index + 1, of: end, slots, tables.fromTheOther)
      } else {
        tables.balls.arrive()
      }
    }
  }
}

extension WorkloadDescription {
  private static let arrivalAxes = [
    Axis(
      name: "arrivals", summary: "how the times lie", always: "poisson",
      legal: .words(ArrivalProcess.Kind.allCases.map(\.rawValue))),
    Axis(
      name: "hold-ns", summary: "ns for which a body holds its worker", smoke: 1000, quick: 5000,
      real: 5000, legal: 0...1_000_000_000),
    Axis(name: "seed", summary: "seed of the arrivals", always: 1, legal: .numbers(0...Int.max)),
  ]

  /// An open loop.
  package static let openLoop = WorkloadDescription(
    name: "open-loop",
    summary: "latency at a given rate, from the intended and from the real submission",
    notShown: "throughput: the rate is given; the submitter is a thread beside the workers",
    tags: ["latency", "open-loop"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 100, quick: 2000, real: 20_000,
        legal: 1...10_000_000),
      Axis(
        name: "rate", summary: "operations in a second", smoke: 50_000, quick: 20_000, real: 20_000,
        legal: 1...100_000_000),
      Axis(
        name: "stall-ns", summary: "ns that the submitter loses in every 50 times that", always: 0,
        legal: .numbers(0...1_000_000_000)),
    ] + arrivalAxes,
    metrics: ["latency", "latency-uncorrected"],
    iterationSeconds: { Double($0["n"]) / Double($0["rate"]) },
    make: { parameters throws(WorkloadError) in
      try OpenLoopLatency(
        ArrivalProcess(
          kind: ArrivalProcess.Kind(rawValue: parameters.word("arrivals")) ?? .poisson,
          interval: 1e9 / Double(parameters["rate"]), seed: UInt64(parameters["seed"])),
        count: parameters["n"], hold: parameters["hold-ns"], stall: parameters["stall-ns"])
    })

  /// The highest rate that keeps a limit.
  package static let knee = WorkloadDescription(
    name: "knee",
    summary: "the highest rate at which the p99 of the latency keeps a limit (metric knee)",
    notShown: "anything by wall, which is the time of the search",
    tags: ["latency", "open-loop"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "operations at one rate", smoke: 100, quick: 1000, real: 5000,
        legal: 100...1_000_000),
      Axis(
        name: "limit-ns", summary: "p99 of the latency that is allowed, ns", always: 1_000_000,
        legal: .numbers(1...1_000_000_000)),
    ] + arrivalAxes,
    metrics: ["knee"],
    iterationSeconds: { Double($0["n"] * $0["hold-ns"]) * 40e-9 },
    make: { parameters throws(WorkloadError) in
      Knee(
        ArrivalProcess.Kind(rawValue: parameters.word("arrivals")) ?? .poisson,
        count: parameters["n"], hold: parameters["hold-ns"], limit: parameters["limit-ns"],
        seed: parameters["seed"])
    })

  /// Two queues that hand over to each other.
  package static let pingPong = WorkloadDescription(
    name: "ping-pong",
    summary: "an operation adds the next one to the other of two queues, back and forth",
    notShown: "throughput of many operations",
    tags: ["latency", "contention", "closures"],
    runsByDefault: false,
    axes: [
      Axis(name: "games", summary: "balls at once", always: 1, legal: .numbers(1...10_000)),
      Axis(
        name: "hops", summary: "hops of a ball", smoke: 50, quick: 5000, real: 50_000,
        legal: 1...10_000_000),
    ],
    make: { parameters throws(WorkloadError) in
      try PingPong(games: parameters["games"], hops: parameters["hops"])
    })
}
