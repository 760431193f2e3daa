// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Operations that take a while and ask every microsecond whether they are cancelled, when all of
/// them are.
///
/// Stresses: the way from a request to the last operation that has seen it. Does not show: the cost
/// per pending operation. The request comes after half the time of one body, from outside or from
/// inside of an operation; bodies end by themselves when nobody cancels them. `latency` is from the
/// request to the moment at which a running body sees it, `quiescence` to the end of all,
/// `wasted-time` what bodies ran on, `started-after-cancel` how many began too late.
package final class CancelRunning: Workload {
  /// Who runs and who cancels.
  enum Form {
    /// Bodies that poll; a thread outside cancels.
    case outside
    /// The same; the first operation cancels.
    case inside
    /// Tasks that sleep; a thread outside cancels.
    case tasks
  }

  private let name: String
  private let form: Form
  private let hold: UInt64
  private let storage: SlotStorage
  private let started: StampStorage
  private let seen: StampStorage
  private let request: StampStorage

  init(_ name: String, _ form: Form, count: Int, hold: Int) throws(WorkloadError) {
    self.name = name
    self.form = form
    self.hold = UInt64(hold)
    storage = try SlotStorage(for: name, count: count)
    started = try StampStorage(for: name, count: count)
    seen = try StampStorage(for: name, count: count)
    request = try StampStorage(for: name, count: 1)
  }

  package var operationsPerIteration: Int { started.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    started.clear()
    seen.clear()
    let (request, hold, slots) = (request.stamps, hold, storage.slots)
    let before = storage.values
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    let borrowed = queue.map { BorrowedQueue($0) }
    var operations = makeOperations()
    if form == .inside, let borrowed {
      operations[0] = BlockOperation {
        for _ in 0..<PlantedFault.runs() {
          slots.mark(0)
          _ = WorkerHold.spin(nanoseconds: hold / 2)
          request[0] = MonotonicClock.nanoseconds()
          borrowed.cancelAllOperations()
        }
      }
    }
    recorder.built()
    queue?.addOperations(operations, waitUntilFinished: false)
    if form != .inside {
      WorkerHold.sleep(nanoseconds: hold / 2)
      request[0] = MonotonicClock.nanoseconds()
      queue?.cancelAllOperations()
    }
    try TimedIteration.wait(for: queue, name)
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    let end = MonotonicClock.nanoseconds()
    let open = operations.count { !$0.isFinished }
    let states = operations.enumerated().count { index, operation in
      // A body that has not begun belongs to an operation that is cancelled.
      let runs = slots.value(index) &- before[index]
      return runs > 1 || (runs == 0 && !operation.isCancelled)
    }
    operations = []
    queue = nil
    recorder.released()
    guard open == 0, states == 0 else {
      throw WrongAnswer(
        message: "\(name): \(open) operations have not finished, \(states) ran twice, or neither "
          + "began nor are cancelled; expected none of either")
    }
    report(until: end, &recorder)
  }

  private func report(until end: UInt64, _ recorder: inout IterationRecorder) {
    let request = request.stamps[0]
    var wasted: UInt64 = 0
    for seen in seen.values where seen > 0 {
      recorder.latency(nanoseconds: seen - min(request, seen))
      wasted += seen - min(request, seen)
    }
    recorder.value("quiescence", Double(end - min(request, end)))
    recorder.value("wasted-time", Double(wasted))
    recorder.value("started-after-cancel", Double(started.values.count { $0 > request }))
  }

  private func makeOperations() -> [Operation] {
    let (slots, started, seen, hold) = (storage.slots, started.stamps, seen.stamps, hold)
    return (0..<self.started.count).map { index in
      guard form == .tasks else {
        return PollingOperation(index, slots, hold: hold, started: started, seen: seen)
      }
      return AsyncOperation(
        body: PlantedFault.task {
          for _ in 0..<PlantedFault.runs() {
            slots.mark(index)
            started[index] = MonotonicClock.nanoseconds()
            do { try await Task.sleep(for: .nanoseconds(Int64(hold))) } catch {
              seen[index] = MonotonicClock.nanoseconds()
            }
          }
        })
    }
  }
}

/// An operation that runs until it is cancelled, or for its time.
private final class PollingOperation: Operation, @unchecked Sendable {
  private let index: Int
  private let slots: Slots
  private let hold: UInt64
  private let started: Stamps
  private let seen: Stamps

  init(_ index: Int, _ slots: Slots, hold: UInt64, started: Stamps, seen: Stamps) {
    self.index = index
    self.slots = slots
    self.hold = hold
    self.started = started
    self.seen = seen
    super.init()
  }

  override func main() { for _ in 0..<PlantedFault.runs() { poll() } }

  private func poll() {
    slots.mark(index)
    let begin = MonotonicClock.nanoseconds()
    started[index] = begin
    var now = begin
    while now < begin + hold {
      if isCancelled {
        seen[index] = now
        return
      }
      now = WorkerHold.spin(nanoseconds: 1000)
    }
  }
}

extension WorkloadDescription {
  private static func running(
    _ name: String, _ form: CancelRunning.Form, tags: [String] = [], summary: String
  ) -> WorkloadDescription {
    WorkloadDescription(
      name: name, summary: summary, notShown: "the cost per pending operation: see cancel",
      tags: ["latency", "cancellation"] + tags, runsByDefault: false,
      axes: [
        Axis(
          name: "n", summary: "operations", smoke: 20, quick: 100, real: 100, legal: 1...1_000_000),
        Axis(
          name: "hold-ns", summary: "ns that a body takes when nobody cancels it", smoke: 200_000,
          quick: 5_000_000, real: 5_000_000, legal: 1000...1_000_000_000),
      ],
      metrics: ["latency", "quiescence", "wasted-time", "started-after-cancel"],
      iterationSeconds: { Double($0["hold-ns"]) * 1e-9 },
      make: { parameters throws(WorkloadError) in
        try CancelRunning(name, form, count: parameters["n"], hold: parameters["hold-ns"])
      })
  }

  /// Bodies that poll, cancelled from outside.
  package static let cancelRunning = running(
    "cancel-running", .outside,
    summary: "running operations that poll their flag: request, seen by each, quiet")

  /// The same, cancelled by one of them.
  package static let cancelInside = running(
    "cancel-inside", .inside, summary: "an operation cancels all others of its queue from inside")

  /// Tasks that sleep.
  package static let cancelTasks = running(
    "cancel-async", .tasks, tags: ["blocking"],
    summary: "asynchronous closures that sleep, cancelled all at once")
}
