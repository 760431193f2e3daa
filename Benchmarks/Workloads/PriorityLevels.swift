// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Operations of all five priorities, or with deadlines, that arrive at random at a given load.
///
/// Stresses: which waiting operation a free worker takes. Does not show: throughput; bodies hold
/// their workers on purpose, and the rate is given. Latencies are from the intended submission to
/// the start. The submitter is a thread beside the workers.
package final class PriorityLevels: Workload {
  /// What is told of a run.
  enum Question { case levels, deadlines, qualities }

  private let name: String
  private let question: Question
  private let count: Int
  private let load: Double
  private let hold: UInt64
  private let seed: UInt64
  private var loop: OpenLoop?

  init(
    _ name: String, _ question: Question, count: Int, load: Int, hold: Int, seed: Int
  ) {
    self.name = name
    self.question = question
    self.count = count
    self.load = Double(load) / 100
    self.hold = UInt64(hold)
    self.seed = UInt64(seed)
  }

  package var operationsPerIteration: Int { count }

  /// Deadlines after the intended submission: short for the urgent ones, a tenth of all.
  private static let deadlines = (urgent: UInt64(10), others: UInt64(500))

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let loop = try loop(workers: scheduler.workerCount)
    let times = try loop.run(on: scheduler, recorder: &recorder) { scheduler in
      guard question == .qualities else { return [OperationQueue(scheduler: scheduler)] }
      return [QualityOfService.background, .userInteractive].map { quality in
        let queue = OperationQueue(scheduler: scheduler)
        queue.qualityOfService = quality
        return queue
      }
    }
    for (index, arrival) in loop.arrivals.enumerated() {
      recorder.sample(arrival.priority.latencyMetric, times.latency(index))
    }
    let score = PriorityScore(
      priorities: loop.arrivals.map(\.priority), submitted: times.submitted,
      started: times.started)
    recorder.value("inversion", Double(score.inversion) / Double(count))
    recorder.value("oldest-wait", Double(score.oldestWait))
    guard question == .deadlines else { return }
    let met = loop.arrivals.indices.count { index in
      let holds = isUrgent(index) ? Self.deadlines.urgent : Self.deadlines.others
      return times.finished[index] <= times.intended[index] + holds * hold
    }
    recorder.value("deadlines-met", Double(met) / Double(count))
  }

  private func isUrgent(_ index: Int) -> Bool { uniform(seed &+ 2, index) < 0.1 }

  /// The arrivals depend on the number of workers, which the load is of.
  private func loop(workers: Int) throws(WrongAnswer) -> OpenLoop {
    if let loop { return loop }
    let interval = Double(hold) / (load * Double(workers))
    let times = ArrivalProcess(kind: .poisson, interval: interval, seed: seed).times(count)
    let levels: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
    let arrivals = times.enumerated().map { index, time in
      var arrival = Arrival(time: time, hold: hold)
      let drawn = uniform(seed &+ 1, index)
      switch question {
      case .levels: arrival.priority = levels[Int(drawn * 5)]
      case .deadlines: arrival.priority = isUrgent(index) ? .high : .normal
      // The urgent ones of the queue that is in no hurry, and the other way around.
      case .qualities:
        arrival.queue = Int(drawn * 2)
        arrival.priority = arrival.queue == 0 ? .veryHigh : .veryLow
      }
      return arrival
    }
    do throws(WorkloadError) {
      let made = try OpenLoop(name, arrivals)
      loop = made
      return made
    } catch { throw WrongAnswer(message: error.message) }
  }
}

extension WorkloadDescription {
  private static let levelAxes = [
    Axis(
      name: "n", summary: "operations", smoke: 100, quick: 2000, real: 20_000,
      legal: 1...10_000_000, warmUp: 2000),
    Axis(
      name: "load", summary: "share of what the workers can do, in %", always: 80,
      legal: .numbers(1...1000)),
    Axis(
      name: "hold-ns", summary: "ns for which a body holds its worker", smoke: 1000, quick: 20_000,
      real: 20_000, legal: 1...1_000_000_000),
    Axis(name: "seed", summary: "seed of the arrivals", always: 1, legal: .numbers(0...Int.max)),
  ]

  private static func levels(
    _ name: String, _ question: PriorityLevels.Question, summary: String, metrics: Set<String>
  ) -> WorkloadDescription {
    WorkloadDescription(
      name: name, summary: summary,
      notShown: "throughput: the rate is given; the submitter is a thread beside the workers",
      tags: ["latency", "priority"], runsByDefault: false, axes: levelAxes,
      metrics: metrics.union(["inversion", "oldest-wait"]),
      iterationSeconds: {
        Double($0["n"] * $0["hold-ns"]) * 1e-9 * 100 / Double($0["load"])
      },
      make: { parameters throws(WorkloadError) in
        PriorityLevels(
          name, question, count: parameters["n"], load: parameters["load"],
          hold: parameters["hold-ns"], seed: parameters["seed"])
      })
  }

  /// Five levels at random arrivals.
  package static let priorityLevels = levels(
    "priority-levels", .levels, summary: "latency of five priorities at Poisson arrivals",
    metrics: [
      "latency-very-high", "latency-high", "latency-normal", "latency-low", "latency-very-low",
    ])

  /// Urgent and other operations with deadlines.
  package static let deadlineMix = levels(
    "deadline-mix", .deadlines,
    summary: "share of deadlines that are met; a tenth is urgent and has a short one",
    metrics: ["latency-high", "latency-normal", "deadlines-met"])

  /// The quality of a queue against the priority of an operation.
  package static let qualityMix = levels(
    "qos-mix", .qualities,
    summary: "very high priority in a background queue against very low in an interactive one",
    metrics: ["latency-very-high", "latency-very-low"])
}
