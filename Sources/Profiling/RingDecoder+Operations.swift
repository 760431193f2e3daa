// SPDX-License-Identifier: Apache-2.0

internal import Scheduling
internal import Traces

extension RingDecoder {
  mutating func takeOperation(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    switch event.kind {
    case .created:
      newborns.append(
        Newborn(time: time, kind: className(event.argument), parent: lanes[ring].running))
      objects[event.object] = ~Int32(newborns.count - 1)
    case .closureAdded: takeClosure(event, time, ring)
    case .nodeAdded: takeNode(event, time, ring)
    case .halfTaken: takeHalf(event)
    case .enqueued: takeEnqueued(event, time)
    case .edge:
      let (successor, predecessor) = (operation(event.object), operation(UInt(event.argument)))
      trace.edges.append(
        TraceEdge(
          UInt32(predecessor), UInt32(successor), event.info == 1 ? .barrier : .dependency))
    case .ready: takeReady(event, time, ring)
    case .start: takeStart(event, time, ring)
    case .finish: takeFinish(event, time, ring)
    case .returned:
      let index = operation(event.object)
      // Another thread may have finished it before the one that began it had let go.
      change(index) { if $0.finished == nil { $0.returned = $0.returned ?? time } }
      lanes[ring].leave(index)
    case .cancelRequested:
      change(operation(event.object)) { $0.cancelRequested = $0.cancelRequested ?? time }
    case .held:
      change(operation(event.object)) { operation in
        operation.heldBy = event.info == 1 ? .resource : .condition
        operation.admitted = nil
      }
    case .named:
      let name = name(event.argument)
      change(operation(event.object)) { $0.name = name }
    case .priority:
      let band = PriorityBand(lowBitsOf: UInt(event.info))
      change(operation(event.object)) { $0.priority = Self.priority(band) }
    // The closure's, under an address of its own.
    case .standsFor: objects[event.object] = operation(UInt(event.argument))
    default: break
    }
  }

  private mutating func takeClosure(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    let queue = isLatencyOnly ? -1 : queue(UInt(event.argument))
    var closure = TracedOperation(kind: nameOfClassless("closure"), queue: queue)
    closure.parent = lanes[ring].running
    (closure.created, closure.enqueued, closure.ready) = (time, time, time)
    objects[event.object] = add(closure)
  }

  private mutating func takeNode(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    var node = TracedOperation(kind: nameOfClassless("graph node"))
    node.parent = lanes[ring].running
    (node.created, node.enqueued) = (time, time)
    node.priority = Self.priority(PriorityBand(lowBitsOf: UInt(event.info)))
    objects[event.object] = add(node)
  }

  /// When it was offered is not known: that costs a fork too much.
  private mutating func takeHalf(_ event: RecordedEvent) {
    var half = TracedOperation(kind: nameOfClassless("fork half"))
    if event.argument != 0 {
      half.parent = operation(UInt(event.argument))
      half.queue = trace.operations[Int(half.parent)].queue
    }
    objects[event.object] = add(half)
  }

  private mutating func takeEnqueued(_ event: RecordedEvent, _ time: Int64) {
    let queue = queue(UInt(event.argument))
    let details = EnqueueDetails(info: event.info)
    change(operation(event.object)) { operation in
      operation.queue = queue
      operation.enqueued = time
      operation.priority = Self.priority(details.band)
      operation.isBarrier = details.isBarrier
      // Of a closure that comes behind a barrier, which was not ready when it was added.
      operation.ready = nil
    }
  }

  private mutating func takeReady(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    let index = operation(event.object, isBeginning: true)
    let known = trace.operations[Int(index)]
    // It was to be skipped, and has been.
    guard known.started == nil, known.finished == nil else { return }
    if known.ready != nil, known.heldBy != .none, known.admitted == nil {
      return change(index) { $0.admitted = time }
    }
    var releaser: Int32 = -1
    if event.argument != 0 {
      releaser = operation(UInt(event.argument))
    } else if known.isBarrier {
      // The last one of those before it has just left on this thread.
      releaser = lanes[ring].lastFinished
    }
    change(index) { operation in
      operation.ready = time
      operation.releasedBy = releaser
    }
  }

  private mutating func takeStart(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    let index = operation(event.object, isBeginning: true)
    guard trace.operations[Int(index)].started == nil else { return }
    let details = StartDetails(word: event.argument)
    let thread = thread(ring, worker: details.worker)
    change(index) { operation in
      operation.started = time
      operation.thread = thread
      operation.processor = details.processor
      // Both enumerations have the same raw values.
      operation.source =
        TracedOperation.Source(rawValue: details.origin.place.rawValue) ?? .unknown
      operation.victim = details.origin.victim.map(Int32.init) ?? -1
    }
    lanes[ring].enter(index)
  }

  private mutating func takeFinish(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    let index = operation(event.object)
    let details = FinishDetails(info: event.info)
    change(index) { operation in
      operation.finished = operation.finished ?? time
      operation.isSkipped = details.isSkipped
      operation.outcome =
        details.isCancelled ? .cancelled : details.hasFailed ? .failed : .finished
    }
    lanes[ring].leave(index)
    lanes[ring].lastFinished = index
  }

  // MARK: Objects

  /// The operation at an address.
  ///
  /// - Parameter isBeginning: the event is one of an operation that has not finished. Where nothing
  ///   tells that objects are made, it is of another one if that at the address has.
  private mutating func operation(_ address: UInt, isBeginning: Bool = false) -> Int32 {
    guard let known = objects[address] else {
      let index = add(TracedOperation())
      objects[address] = index
      return index
    }
    if known < 0 {
      let newborn = newborns[Int(~known)]
      var operation = TracedOperation(kind: newborn.kind)
      operation.created = newborn.time
      operation.parent = newborn.parent
      let index = add(operation)
      objects[address] = index
      return index
    }
    if isLatencyOnly, isBeginning, trace.operations[Int(known)].finished != nil {
      let index = add(TracedOperation())
      objects[address] = index
      return index
    }
    return known
  }

  private mutating func add(_ operation: TracedOperation) -> Int32 {
    trace.operations.append(operation)
    return Int32(trace.operations.count - 1)
  }

  private mutating func change(_ index: Int32, _ body: (inout TracedOperation) -> Void) {
    body(&trace.operations[Int(index)])
  }

  /// `QueuePriority.rawValue` of a band.
  private static func priority(_ band: PriorityBand) -> Int8 { 8 - 4 * Int8(band.rawValue) }
}
