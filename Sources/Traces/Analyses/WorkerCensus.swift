// SPDX-License-Identifier: Apache-2.0

/// How many workers are in which state, and what that means for an operation that waits.
struct WorkerCensus {
  /// What the workers as a whole are doing, the worst first; see `WaitCause`.
  ///
  /// Up to `asleep` a worker is free; from `unknown` on none is, as far as is known.
  enum Mood: Int, CaseIterable {
    case lookingElsewhere, displacedFree, waking, asleep
    case unknown, displacedBusy, held, between, busy

    /// Some worker has no job, so that it could take an operation that nothing holds back.
    var leavesRoom: Bool { rawValue < Self.unknown.rawValue || self == .between }
  }

  private var counts = [Int](repeating: 0, count: WorkerState.allCases.count)
  private var held = 0
  private var present: [(state: WorkerState, isHeld: Bool)]
  private let isWorker: [Bool]
  private let workers: Int
  private let tellsIdling: Bool

  init(_ trace: Trace, _ timeline: WorkerTimeline) {
    present = Array(repeating: (.absent, false), count: trace.threads.count)
    var isWorker = [Bool](repeating: false, count: trace.threads.count)
    for thread in timeline.workers { isWorker[thread] = true }
    counts[.absent] = timeline.workers.count
    self.isWorker = isWorker
    workers = trace.header.workers
    tellsIdling = timeline.tellsIdling
  }

  /// Places in the segments of all workers, by time.
  static func changes(_ timeline: WorkerTimeline) -> [UInt32] {
    var times = [Int64](repeating: .min, count: timeline.segments.count)
    for thread in timeline.workers {
      // What a thread does first begins before all times that are told.
      for place in timeline.starts[thread]..<timeline.starts[thread + 1] {
        times[place] = max(.min + 1, timeline.segments[place].begin)
      }
    }
    return TimeOrder.indices(of: times)
  }

  /// How many workers have jobs.
  var occupied: Int {
    counts[.runs] + counts[.otherJob] + counts[.blocked] + counts[.displacedInJob]
  }

  /// How many workers there are to have one.
  var capacity: Int { workers }

  mutating func set(_ thread: Int, _ segment: WorkerTimeline.Segment) {
    guard isWorker[thread] else { return }
    let before = present[thread]
    counts[before.state] -= 1
    if before.isHeld { held -= 1 }
    counts[segment.state] += 1
    if segment.isHeld { held += 1 }
    present[thread] = (segment.state, segment.isHeld)
  }

  var mood: Mood {
    if !tellsIdling { return occupied >= workers ? busyMood : .unknown }
    if counts[.searchingInVain] > 0 { return .lookingElsewhere }
    if counts[.displaced] > 0 { return .displacedFree }
    if counts[.waking] > 0 { return .waking }
    // A worker that has never shown itself sleeps as well.
    let awake = occupied + counts[.between] + counts[.finding] + counts[.unknown]
    if awake < workers { return .asleep }
    if counts[.unknown] > 0 { return .unknown }
    return busyMood
  }

  private var busyMood: Mood {
    if counts[.displacedInJob] > 0 { return .displacedBusy }
    if held > 0 { return .held }
    return counts[.between] + counts[.finding] > 0 ? .between : .busy
  }
}

extension [Int] {
  fileprivate subscript(state: WorkerState) -> Int {
    get { self[Int(state.rawValue)] }
    set { self[Int(state.rawValue)] = newValue }
  }
}
