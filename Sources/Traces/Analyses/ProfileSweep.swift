// SPDX-License-Identifier: Apache-2.0

/// Goes once through the time of a run and measures how many workers lack a job, and why.
struct ProfileSweep {
  private(set) var occupied: Int64 = 0
  private(set) var schedulerIdle: Int64 = 0
  private(set) var policyIdle: Int64 = 0
  private(set) var graphIdle: Int64 = 0
  private(set) var steps: ProfileSteps

  private let trace: Trace
  private let window: RunWindow
  private let timeline: WorkerTimeline
  private let admission: QueueAdmission

  /// When operations begin to wait, are held by nothing of their own any more, and start.
  private let begins: Moments
  private let opens: Moments
  private let starts: Moments

  private var now: Int64
  private var census: WorkerCensus
  private var states: [QueueAdmission.State]
  /// By slot: operations that wait for the queue or for a worker.
  private var waiting: [Int32]
  /// Of all that wait, how many are held by something of their own.
  private var held = 0
  /// All that wait.
  private var ready = 0
  /// Of all that wait, how many a free worker could have taken.
  private var available = 0

  /// Operations by a time of theirs.
  private struct Moments {
    let times: [Int64]
    let order: [UInt32]

    init(_ times: [Int64]) {
      self.times = times
      order = TimeOrder.indices(of: times)
    }

    func time(_ place: Int) -> Int64 { place < order.count ? times[Int(order[place])] : .max }
  }

  init(
    _ trace: Trace, window: RunWindow, timeline: WorkerTimeline, waits: ReadyWaits,
    admission: QueueAdmission
  ) {
    self.trace = trace
    self.window = window
    self.timeline = timeline
    self.admission = admission
    var begins = waits.begin
    var opens = begins
    var starts = begins
    for (index, operation) in trace.operations.enumerated() {
      let start = operation.startedTime
      guard begins[index] != .min, start == .min || start > begins[index], !operation.isSkipped
      else {
        (begins[index], opens[index], starts[index]) = (.min, .min, .min)
        continue
      }
      starts[index] = start
      opens[index] = waits.heldUntil(index, operation)
      if start != .min { opens[index] = min(opens[index], start) }
    }
    self.begins = Moments(begins)
    self.opens = Moments(opens)
    self.starts = Moments(starts)
    now = window.begin
    census = WorkerCensus(trace, timeline)
    states = admission.initial
    waiting = Array(repeating: 0, count: states.count)
    steps = ProfileSteps(window: window)
  }

  mutating func run() {
    let changes = WorkerCensus.changes(timeline)
    var (begin, open, start, change, event) = (0, 0, 0, 0, 0)
    while true {
      let (begins, opens, starts) = (
        self.begins.time(begin), self.opens.time(open), self.starts.time(start)
      )
      let changed = change < changes.count ? timeline.segments[Int(changes[change])].begin : .max
      let told = event < admission.events.count ? admission.events[event].time : .max
      let next = min(begins, opens, starts, changed, told)
      pass(until: min(next, window.end))
      if next >= window.end { return }
      if begins == next {
        held += 1
        ready += 1
        begin += 1
      } else if opens == next {
        held -= 1
        wait(Int(self.opens.order[open]), by: 1)
        open += 1
      } else if starts == next {
        ready -= 1
        wait(Int(self.starts.order[start]), by: -1)
        start += 1
      } else if changed == next {
        let place = Int(changes[change])
        census.set(timeline.thread(of: place), timeline.segments[place])
        change += 1
      } else {
        let slot = Int(admission.events[event].slot)
        available -= room(slot)
        QueueAdmission.apply(admission.events[event], trace, to: &states[slot])
        available += room(slot)
        event += 1
      }
    }
  }

  private mutating func pass(until time: Int64) {
    guard time > now else { return }
    let length = time - now
    let busy = census.occupied
    let idle = max(0, census.capacity - busy)
    let byScheduler = min(idle, max(0, available))
    let byPolicy = min(idle - byScheduler, ready - max(0, available))
    occupied += Int64(min(busy, census.capacity)) * length
    schedulerIdle += Int64(byScheduler) * length
    policyIdle += Int64(byPolicy) * length
    graphIdle += Int64(idle - byScheduler - byPolicy) * length
    steps.add(from: now, to: time, running: busy, runnable: ready)
    now = time
  }

  /// An operation waits for its queue or a worker from here on, or does so no more.
  private mutating func wait(_ operation: Int, by change: Int32) {
    let slot = admission.slot(of: trace.operations[operation].queue)
    guard slot >= 0 else {
      available += Int(change)
      return
    }
    available -= room(slot)
    waiting[slot] += change
    available += room(slot)
  }

  /// How many of those that wait for a queue may start.
  private func room(_ slot: Int) -> Int { Int(min(waiting[slot], states[slot].room)) }
}
