// SPDX-License-Identifier: Apache-2.0

/// Makes the segments of one thread after the other.
///
/// A thread has a stack of jobs, since a body that waits may run other jobs meanwhile, and below it
/// a state for when there is none.
struct WorkerTimelineBuilder {
  private(set) var segments: [WorkerTimeline.Segment] = []
  private(set) var selfRun: [Int64]
  private(set) var handoverBegin: [Int64]

  /// A job that has the thread.
  private struct Occupant {
    /// Index of the operation; else that of the job, told apart by `jobBase`.
    let operation: Int32
    let begin: Int64
    let end: Int64
    /// Time of jobs that ran inside it.
    var nested: Int64 = 0
    var isBlocked = false

    var isOperation: Bool { operation >= 0 }
    var state: WorkerState { isBlocked ? .blocked : isOperation ? .runs : .otherJob }
  }

  private let trace: Trace
  private let tellsIdling: Bool
  /// How long each job that is no operation ran itself.
  private var jobRuns: [Int64] = []

  private var threadStart = 0
  private var stack: [Occupant] = []
  private var idle = WorkerState.absent
  /// Since when the thread has been awake without a job, after the last attempt that failed.
  private var awakeSince = Int64.min
  /// When the last job left the thread.
  private var lastLeft = Int64.min
  /// It was woken while it was awake, so that the next park returns at once.
  private var isWoken = false
  private var displacements: [Range<Int64>] = []

  private static let jobBase: Int32 = -2

  init(_ trace: Trace, tellsIdling: Bool) {
    self.trace = trace
    self.tellsIdling = tellsIdling
    selfRun = Array(repeating: 0, count: trace.operations.count)
    handoverBegin = Array(repeating: .min, count: trace.operations.count)
    segments.reserveCapacity(2 * trace.operations.count + 2 * trace.schedulerEvents.count)
  }

  /// Appends the segments of the next thread, whose operations and events are each by time.
  mutating func build(operations: ArraySlice<UInt32>, events: ArraySlice<SchedulerEvent>) {
    begin(firstStart: operations.first.map { trace.operations[Int($0)].startedTime }, events)
    var operations = operations[...]
    var events = events[...]
    while true {
      let start = operations.first.map { trace.operations[Int($0)].startedTime } ?? .max
      if let event = events.first, event.time <= start {
        leave(upTo: event.time)
        take(event)
        events.removeFirst()
      } else if let operation = operations.popFirst() {
        leave(upTo: start)
        enter(Int(operation), at: start)
      } else {
        break
      }
    }
    leave(upTo: .max - 1)
    insertDisplacements()
  }

  /// Notes which segments belong to a job that has its worker for longer than the threshold.
  mutating func markHeld(threshold: Int64) {
    for place in segments.indices where segments[place].state.isOccupied {
      let operation = segments[place].operation
      if operation >= 0 {
        segments[place].isHeld = selfRun[Int(operation)] > threshold
      } else if operation <= Self.jobBase {
        segments[place].isHeld = jobRuns[Int(Self.jobBase - operation)] > threshold
        segments[place].operation = -1
      }
    }
  }

  /// Sets out with what the first event says of the time before it.
  private mutating func begin(firstStart: Int64?, _ events: ArraySlice<SchedulerEvent>) {
    threadStart = segments.count
    stack.removeAll(keepingCapacity: true)
    displacements.removeAll(keepingCapacity: true)
    lastLeft = .min
    // Not `.min`, which says of an operation that it did not start.
    awakeSince = .min + 1
    isWoken = false
    idle = .absent
    let own = events.first { $0.kind != .wake && $0.kind != .waitedForProcessor }
    if let own, own.time <= firstStart ?? .max {
      switch own.kind {
      case .unpark: idle = .parked
      case .searchEnds, .steal, .stealFails: idle = .finding
      case .searchBegins, .park, .stop: idle = .between
      default: break
      }
    }
    emit(.min, idle)
  }

  private mutating func emit(_ time: Int64, _ state: WorkerState, operation: Int32 = -1) {
    let shown = state == .between && !tellsIdling ? .unknown : state
    let segment = WorkerTimeline.Segment(
      begin: time, operation: operation, state: shown, isHeld: false)
    if segments.count > threadStart, let last = segments.last, last.begin >= time {
      segments[segments.count - 1] = segment
      segments[segments.count - 1].begin = last.begin
    } else {
      segments.append(segment)
    }
  }

  private mutating func emitPresent(_ time: Int64) {
    if let top = stack.last {
      emit(time, top.state, operation: top.operation)
    } else {
      emit(time, idle)
    }
  }

  /// An operation begins.
  private mutating func enter(_ operation: Int, at time: Int64) {
    if let top = stack.last {
      handoverBegin[operation] = lastLeft > top.begin ? min(lastLeft, time) : time
    } else if tellsIdling, idle == .between || idle == .finding {
      handoverBegin[operation] = min(awakeSince, time)
    } else {
      handoverBegin[operation] = time
    }
    let left = trace.operations[operation].leftThreadTime
    push(
      Occupant(operation: Int32(operation), begin: time, end: left == .min ? .max : max(left, time))
    )
  }

  private mutating func push(_ occupant: Occupant) {
    stack.append(occupant)
    emit(occupant.begin, occupant.state, operation: occupant.operation)
  }

  /// Ends the jobs that have left by then.
  private mutating func leave(upTo time: Int64) {
    while let top = stack.last, top.end <= time { pop(at: top.end) }
  }

  private mutating func pop(at time: Int64) {
    guard let left = stack.popLast() else { return }
    let whole = time - left.begin
    let own = max(0, whole - left.nested)
    if left.isOperation {
      selfRun[Int(left.operation)] = own
    } else {
      jobRuns[Int(Self.jobBase - left.operation)] = own
    }
    lastLeft = time
    if stack.isEmpty {
      idle = .between
      awakeSince = time
    } else {
      stack[stack.count - 1].nested += whole
    }
    emitPresent(time)
  }
}

extension WorkerTimelineBuilder {
  /// An event of the thread, or a wake-up that is aimed at it.
  private mutating func take(_ event: SchedulerEvent) {
    let time = event.time
    switch event.kind {
    case .start: idles(.between, from: time)
    case .stop: idles(.absent, from: time)
    case .searchBegins:
      if idle != .between { awakeSince = time }
      idles(.finding, from: time, isAwakeSinceThen: false)
    case .searchEnds: idles(.between, from: time, isAwakeSinceThen: false)
    case .stealFails: attemptFails(at: time)
    case .park: parks(at: time)
    case .unpark:
      isWoken = false
      blocks(false, at: time)
      idles(.between, from: time)
    case .wake: isWokenUp(at: time)
    case .blocks: blocks(true, at: time)
    case .unblocks: blocks(false, at: time)
    case .jobBegins:
      push(Occupant(operation: Self.jobBase - Int32(jobRuns.count), begin: time, end: .max))
      jobRuns.append(0)
    case .jobEnds:
      // The recording may have begun within the job.
      guard stack.contains(where: { !$0.isOperation }) else { break }
      while let top = stack.last {
        pop(at: time)
        if !top.isOperation { break }
      }
    case .steal: break
    case .waitedForProcessor:
      if event.other > 0 { displacements.append(time - Int64(event.other)..<time) }
    }
  }

  /// What the thread does without a job from here on; while it has one that is for later.
  private mutating func idles(
    _ state: WorkerState, from time: Int64, isAwakeSinceThen: Bool = true
  ) {
    guard stack.isEmpty else { return }
    idle = state
    if isAwakeSinceThen { awakeSince = time }
    emit(time, state)
  }

  /// All of the search up to here was in vain.
  private mutating func attemptFails(at time: Int64) {
    guard stack.isEmpty, idle == .finding || idle == .between else { return }
    idle = .finding
    awakeSince = time
    let last = segments.count - 1
    if last > threadStart, segments[last].state == .finding,
      segments[last - 1].state == .searchingInVain
    {
      segments[last].begin = max(segments[last].begin, time)
      return
    }
    segments[last].state = .searchingInVain
    emit(time, .finding)
  }

  private mutating func parks(at time: Int64) {
    guard stack.isEmpty else { return blocks(true, at: time) }
    let last = segments.count - 1
    if segments[last].state == .finding { segments[last].state = .searchingInVain }
    idles(isWoken ? .waking : .parked, from: time)
  }

  private mutating func isWokenUp(at time: Int64) {
    if stack.isEmpty, idle == .parked {
      idles(.waking, from: time)
    } else if idle != .waking {
      isWoken = true
    }
  }

  private mutating func blocks(_ isBlocked: Bool, at time: Int64) {
    if stack.isEmpty {
      if isBlocked {
        idles(.blocked, from: time)
      } else if idle == .blocked {
        idles(.between, from: time)
      }
    } else if stack[stack.count - 1].isBlocked != isBlocked {
      stack[stack.count - 1].isBlocked = isBlocked
      emitPresent(time)
    }
  }
}

extension WorkerTimelineBuilder {
  /// Lays the waits for a processor over what the thread would have done.
  ///
  /// A thread that sleeps waits for none, so those parts stay as they are.
  private mutating func insertDisplacements() {
    guard !displacements.isEmpty else { return }
    let plain = Array(segments[threadStart...])
    segments.removeSubrange(threadStart...)
    var place = 0
    for (index, segment) in plain.enumerated() {
      let end = index + 1 < plain.count ? plain[index + 1].begin : Int64.max
      append(segment, until: end, firstDisplacement: &place)
    }
    place = 0
    for segment in plain where segment.state == .runs {
      shortenHandover(of: Int(segment.operation), lastDisplacement: &place)
    }
  }

  private mutating func append(
    _ segment: WorkerTimeline.Segment, until end: Int64, firstDisplacement place: inout Int
  ) {
    while place < displacements.count, displacements[place].upperBound <= segment.begin {
      place += 1
    }
    segments.append(segment)
    guard let state = Self.displaced(segment.state) else { return }
    var index = place
    while index < displacements.count, displacements[index].lowerBound < end {
      let part = displacements[index]
      // The account of one wait cannot reach back beyond the one before.
      let begin = max(
        part.lowerBound, segment.begin, index > 0 ? displacements[index - 1].upperBound : .min)
      var changed = segment
      changed.state = state
      changed.begin = begin
      if begin == segments[segments.count - 1].begin {
        segments[segments.count - 1] = changed
      } else {
        segments.append(changed)
      }
      if part.upperBound < end {
        changed = segment
        changed.begin = part.upperBound
        segments.append(changed)
      }
      index += 1
    }
  }

  private static func displaced(_ state: WorkerState) -> WorkerState? {
    switch state {
    case .runs, .otherJob: .displacedInJob
    case .between, .finding, .searchingInVain, .waking, .unknown: .displaced
    case .absent, .blocked, .parked, .displacedInJob, .displaced: nil
    }
  }

  /// A thread without a processor is on its way to nothing.
  private mutating func shortenHandover(of operation: Int, lastDisplacement place: inout Int) {
    let start = trace.operations[operation].startedTime
    while place + 1 < displacements.count, displacements[place + 1].lowerBound < start {
      place += 1
    }
    let part = displacements[place]
    guard part.lowerBound < start, part.upperBound > handoverBegin[operation] else { return }
    handoverBegin[operation] = min(start, part.upperBound)
  }
}
