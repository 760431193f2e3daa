// SPDX-License-Identifier: Apache-2.0

/// Which queues let operations start, as it changes over a run.
///
/// Only queues that ever had a limit or were suspended take part; the others cost nothing.
struct QueueAdmission {
  /// What changes at an instant, for one of the queues that take part.
  enum Change: UInt8 {
    case starts, finishes, policy
  }
  struct Event {
    let time: Int64
    /// Which of the queues that take part.
    let slot: Int32
    /// Index into `Trace.queueEvents` for `policy`, else into `Trace.operations`.
    let index: UInt32
    let change: Change
  }
  /// What a queue allows at an instant.
  struct State: Equatable {
    var limit: Int32?
    var isSuspended: Bool
    var running: Int32 = 0

    var isAtLimit: Bool { limit.map { running >= $0 } ?? false }
    /// How many more may start.
    var room: Int32 {
      if isSuspended { return 0 }
      return limit.map { max(0, $0 - running) } ?? .max
    }
  }

  /// By queue: which of those that take part it is, or -1.
  let slots: [Int32]
  /// The states when the recording began, by slot.
  let initial: [State]
  /// All changes, by time.
  let events: [Event]
  /// By operation: since when its queue had had room for it when it started; `.min` where it
  /// always had.
  ///
  /// Empty where no queue takes part.
  let roomSince: [Int64]

  /// Reads a recording.
  ///
  /// O(operations + events).
  init(_ trace: Trace, timeline: WorkerTimeline) {
    var slots = trace.queues.map { $0.limit != nil || $0.isSuspended ? Int32(0) : -1 }
    for event in trace.queueEvents where Int(event.queue) < slots.count {
      if event.queue >= 0 { slots[Int(event.queue)] = 0 }
    }
    var initial: [State] = []
    for queue in slots.indices where slots[queue] == 0 {
      slots[queue] = Int32(initial.count)
      initial.append(
        State(limit: trace.queues[queue].limit, isSuspended: trace.queues[queue].isSuspended))
    }
    self.slots = slots
    self.initial = initial
    events = initial.isEmpty ? [] : Self.events(trace, timeline, slots: slots)
    roomSince = initial.isEmpty ? [] : Self.roomSince(trace, initial, events)
  }

  /// The slot of a queue by its index in the recording, or -1.
  func slot(of queue: Int32) -> Int {
    queue >= 0 && Int(queue) < slots.count ? Int(slots[Int(queue)]) : -1
  }

  /// The state after an event.
  static func apply(_ event: Event, _ trace: Trace, to state: inout State) {
    switch event.change {
    case .starts: state.running += 1
    case .finishes: state.running -= 1
    case .policy:
      let policy = trace.queueEvents[Int(event.index)]
      switch policy.kind {
      case .limit: state.limit = policy.value < 0 ? nil : policy.value
      case .suspension: state.isSuspended = policy.value != 0
      }
    }
  }

  private static func roomSince(
    _ trace: Trace, _ initial: [State], _ events: [Event]
  ) -> [Int64] {
    var result = [Int64](repeating: .min, count: trace.operations.count)
    var states = initial
    var since = [Int64](repeating: .min, count: states.count)
    for event in events {
      let slot = Int(event.slot)
      if event.change == .starts { result[Int(event.index)] = since[slot] }
      let hadRoom = states[slot].room > 0
      apply(event, trace, to: &states[slot])
      if !hadRoom, states[slot].room > 0 { since[slot] = event.time }
    }
    return result
  }

  private static func events(
    _ trace: Trace, _ timeline: WorkerTimeline, slots: [Int32]
  ) -> [Event] {
    var events: [Event] = []
    var finishes: [Event] = []
    let passedOn = placesPassedOn(trace, timeline)
    for (index, operation) in trace.operations.enumerated()
    where !operation.isSkipped && operation.startedTime != .min && operation.queue >= 0 {
      guard Int(operation.queue) < slots.count, slots[Int(operation.queue)] >= 0 else { continue }
      let slot = slots[Int(operation.queue)]
      // A finish that the clocks put before the start would leave the count wrong in between.
      let finish = operation.finishedTime
      let start = operation.startedTime
      events.append(Event(time: start, slot: slot, index: UInt32(index), change: .starts))
      guard finish != .min else { continue }
      finishes.append(
        Event(
          time: max(finish, start, passedOn[index]), slot: slot, index: UInt32(index),
          change: .finishes))
    }
    // At one instant starts come first: a place that is passed on is never free.
    events += finishes
    for (index, event) in trace.queueEvents.enumerated() {
      guard event.queue >= 0, Int(event.queue) < slots.count else { continue }
      events.append(
        Event(
          time: event.time, slot: slots[Int(event.queue)], index: UInt32(index), change: .policy))
    }
    let order = TimeOrder.indices(of: events.map(\.time))
    return order.map { events[Int($0)] }
  }

  /// By operation: when the one behind it in its queue's list began, if its worker went straight on
  /// to that one; else `.min`.
  ///
  /// The place that the limit gives is the worker's meanwhile, and nobody else can have it.
  private static func placesPassedOn(_ trace: Trace, _ timeline: WorkerTimeline) -> [Int64] {
    var result = [Int64](repeating: .min, count: trace.operations.count)
    for thread in trace.threads.indices {
      let operations = timeline.operations(of: thread)
      for (first, second) in zip(operations, operations.dropFirst()) {
        let (one, next) = (trace.operations[Int(first)], trace.operations[Int(second)])
        guard one.queue == next.queue, next.source == .readyList,
          timeline.handoverBegin[Int(second)] <= one.leftThreadTime
        else { continue }
        result[Int(first)] = next.startedTime
      }
    }
    return result
  }
}
