// SPDX-License-Identifier: Apache-2.0

package import Scheduling
package import Traces

/// Makes a trace of what was found in the rings.
///
/// Goes through the events of all threads in the order of their times. Events name objects by
/// address, and an address stands for another object from the event on that says so. Where a thread
/// has overwritten events, that event may be among them: then nothing is told of operations before
/// the time from which on every ring has all.
package struct RingDecoder {
  /// An object that was made, and of which nothing more is known yet.
  struct Newborn {
    var time: Int64
    var kind: UInt32
    var parent: Int32
  }

  var trace: Trace
  let rings: [RingContents]
  let scale: TickScale
  /// What was recorded has no event for the making of an object.
  let isLatencyOnly: Bool

  /// By address: the index of the operation, or of a newborn as its complement.
  var objects: [UInt: Int32] = [:]
  var newborns: [Newborn] = []
  /// By address: the index of the queue.
  var queues: [UInt: Int32] = [:]
  /// By class: the index of its name.
  var classes: [UInt64: UInt32] = [:]
  /// By number: the index of a recorded name.
  private var names: [UInt64: UInt32] = [:]
  private let recordedNames: [String]
  /// The index of the name of what has no class, by what it is.
  private var classless: [String: UInt32] = [:]
  /// By ring.
  var lanes: [RingLane]
  /// The wake-ups that name a worker: index of the event, and the worker.
  var wakesByName: [(event: Int, worker: Int32)] = []
  /// From here on every ring has all of its events.
  private let horizon: UInt64

  /// - Parameter names: what events tell by number.
  package init(
    _ rings: [RingContents], names: [String], nanosecondsPerTick: Double, header: TraceHeader
  ) {
    self.init(
      rings, names: names,
      scale: TickScale(nanosecondsPerTick: nanosecondsPerTick, driftPerNanosecond: 0),
      header: header)
  }

  init(_ rings: [RingContents], names: [String], scale: TickScale, header: TraceHeader) {
    self.rings = rings
    self.scale = scale
    recordedNames = names
    trace = Trace(header: header)
    isLatencyOnly = header.detail == .latency
    lanes = rings.map(RingLane.init)
    horizon =
      rings.filter { $0.written > $0.events.count }
      .map { $0.events.first?.ticks ?? .max }.max() ?? 0
  }

  /// Goes through all events; once.
  package consuming func decode() -> Trace {
    var order = RingOrder(rings)
    while let (ring, position) = order.next() { take(rings[ring].events[position], of: ring) }
    resolveWakes()
    trace.header.droppedEvents = rings.reduce(0) { $0 + Int($1.written) - $1.events.count }
    // One more: a full ring cannot tell whether its oldest event is being overwritten.
    trace.header.neededRingEvents = Int(rings.map(\.written).max() ?? 0) + 1
    return trace
  }

  private mutating func take(_ event: RecordedEvent, of ring: Int) {
    let time = scale.nanoseconds(event.ticks)
    switch event.kind {
    case .ready, .start, .finish, .closureAdded, .created, .enqueued, .edge, .returned,
      .cancelRequested, .held, .named, .standsFor, .priority, .nodeAdded, .halfTaken:
      guard event.ticks >= horizon else { return }
      takeOperation(event, time, ring)
    case .queueMade, .queueNamed, .queueLimit, .queueSuspended: takeQueue(event, time)
    case .threadStarts, .threadStops, .searchBegins, .searchEnds, .park, .unpark, .wake, .steal,
      .stealFails, .blocks, .unblocks, .jobBegins, .jobEnds:
      takeThread(event, time, ring)
    case .processorWait: takeWait(event, time, ring)
    case .mark: trace.marks.append(TraceMark(time: time, name: name(event.argument)))
    }
  }

  // MARK: Queues

  private mutating func takeQueue(_ event: RecordedEvent, _ time: Int64) {
    if event.kind == .queueMade { queues[event.object] = nil }
    let index = queue(event.object)
    // What was so when the recording began is no change.
    let isOld = event.info == 1
    switch event.kind {
    case .queueNamed: trace.queues[Int(index)].name = name(event.argument)
    case .queueLimit:
      let limit = Int32(clamping: Int64(bitPattern: event.argument))
      if isOld {
        trace.queues[Int(index)].limit = limit < 0 ? nil : limit
      } else {
        trace.queueEvents.append(
          QueueEvent(time: time, queue: index, kind: .limit, value: max(-1, limit)))
      }
    case .queueSuspended:
      let isSuspended = event.argument != 0
      if isOld {
        trace.queues[Int(index)].isSuspended = isSuspended
      } else {
        trace.queueEvents.append(
          QueueEvent(time: time, queue: index, kind: .suspension, value: isSuspended ? 1 : 0))
      }
    default: break
    }
  }

  /// The index of the queue at an address.
  mutating func queue(_ address: UInt) -> Int32 {
    if let index = queues[address] { return index }
    let index = Int32(trace.queues.count)
    trace.queues.append(TraceQueue())
    queues[address] = index
    return index
  }

  // MARK: Names

  /// The index of the name that events tell by `number`.
  mutating func name(_ number: UInt64) -> UInt32 {
    if let index = names[number] { return index }
    guard number < recordedNames.count else { return 0 }
    let index = addName(recordedNames[Int(number)])
    names[number] = index
    return index
  }

  /// The index of the name of a class.
  mutating func className(_ address: UInt64) -> UInt32 {
    if let index = classes[address] { return index }
    // SAFETY: the address of a class, which lives as long as the process, told by one of its
    // objects.
    let type = unsafe unsafeBitCast(UInt(address), to: Any.Type.self)
    let index = addName(String(describing: type))
    classes[address] = index
    return index
  }

  /// The index of the name of what has no class.
  mutating func nameOfClassless(_ kind: String) -> UInt32 {
    if let index = classless[kind] { return index }
    let index = addName(kind)
    classless[kind] = index
    return index
  }

  mutating func addName(_ name: String) -> UInt32 {
    guard !name.isEmpty else { return 0 }
    trace.names.append(name)
    return UInt32(trace.names.count - 1)
  }
}
