// SPDX-License-Identifier: Apache-2.0

/// The time that each cause has been in force since the beginning, for every queue.
struct CauseSums {
  private typealias Mood = WorkerCensus.Mood

  /// The sums of a queue that limits nothing are those of the workers' moods; the others have two
  /// more.
  static let width = Mood.allCases.count + 2
  private static let limit = Mood.allCases.count
  private static let suspension = Mood.allCases.count + 1

  private let trace: Trace
  private let timeline: WorkerTimeline
  private let admission: QueueAdmission
  private let changes: [UInt32]

  private var now: Int64
  private var census: WorkerCensus
  private var mood: Mood
  private var moods = [Int64](repeating: 0, count: CauseSums.width)
  private var states: [QueueAdmission.State]
  /// By slot: its sums, and what `moods` was when they were right.
  private var sums: [[Int64]]
  private var settled: [[Int64]]
  private var nextChange = 0
  private var nextEvent = 0

  init(
    _ trace: Trace, timeline: WorkerTimeline, admission: QueueAdmission, changes: [UInt32]
  ) {
    self.trace = trace
    self.timeline = timeline
    self.admission = admission
    self.changes = changes
    now = .min
    census = WorkerCensus(trace, timeline)
    mood = census.mood
    states = admission.initial
    let zeros = [Int64](repeating: 0, count: Self.width)
    sums = Array(repeating: zeros, count: states.count)
    settled = sums
  }

  /// The cause that a sum stands for.
  static func cause(_ place: Int) -> WaitCause {
    if place == limit { return .limit }
    if place == suspension { return .suspension }
    switch Mood.allCases[place] {
    case .lookingElsewhere: return .lookingElsewhere
    case .displacedFree, .displacedBusy: return .operatingSystem
    case .waking: return .wakingUp
    case .asleep: return .nobodyAwake
    case .unknown: return .unknown
    case .held: return .workerHeld
    case .between: return .handingOver
    case .busy: return .workersBusy
    }
  }

  /// Goes on to a time, which is no earlier than the one before.
  mutating func advance(to time: Int64) {
    while true {
      let change = nextChange < changes.count ? begin(nextChange) : .max
      let event = nextEvent < admission.events.count ? admission.events[nextEvent].time : .max
      if min(change, event) > time { break }
      if change <= event {
        pass(until: change)
        let place = Int(changes[nextChange])
        census.set(timeline.thread(of: place), timeline.segments[place])
        mood = census.mood
        nextChange += 1
      } else {
        pass(until: event)
        take(admission.events[nextEvent])
        nextEvent += 1
      }
    }
    pass(until: time)
  }

  /// Reads the sums as they count for operations of a queue; -1 is any queue that limits nothing.
  mutating func read(slot: Int, _ body: (_ place: Int, _ sum: Int64) -> Void) {
    if slot < 0 {
      for place in 0..<Self.width { body(place, moods[place]) }
    } else {
      settle(slot)
      for place in 0..<Self.width { body(place, sums[slot][place]) }
    }
  }

  private func begin(_ change: Int) -> Int64 { timeline.segments[Int(changes[change])].begin }

  private mutating func pass(until time: Int64) {
    // Before the first time that anybody asks about, nothing is summed up.
    if now != .min { moods[mood.rawValue] += max(0, time - now) }
    now = max(now, time)
  }

  private mutating func take(_ event: QueueAdmission.Event) {
    let slot = Int(event.slot)
    var state = states[slot]
    QueueAdmission.apply(event, trace, to: &state)
    if state.isSuspended != states[slot].isSuspended || state.isAtLimit != states[slot].isAtLimit {
      settle(slot)
    }
    states[slot] = state
  }

  /// Brings the sums of a queue up to now, for which its state has been the same since they were
  /// right.
  private mutating func settle(_ slot: Int) {
    let state = states[slot]
    for mood in Mood.allCases {
      let time = moods[mood.rawValue] - settled[slot][mood.rawValue]
      settled[slot][mood.rawValue] = moods[mood.rawValue]
      if state.isSuspended {
        sums[slot][Self.suspension] += time
      } else if state.isAtLimit, mood.leavesRoom {
        sums[slot][Self.limit] += time
      } else {
        sums[slot][mood.rawValue] += time
      }
    }
  }
}
