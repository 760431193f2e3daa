// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Testing
import Traces

@testable import Profiling

/// What a trace says of events that were made by hand.
@Suite struct RingDecoderTests {
  private static let queue: UInt = 0x9000
  private static let (a, b): (UInt, UInt) = (0x1000, 0x2000)

  /// A class to name.
  private final class Example {}

  private func ring(_ events: [RecordedEvent], written: UInt64? = nil) -> RingContents {
    RingContents(
      systemID: 7, threadName: "t", written: written ?? UInt64(events.count), events: events)
  }

  private func event(
    _ ticks: UInt64, _ kind: EventKind, _ object: UInt = 0, _ argument: UInt64 = 0,
    info: UInt16 = 0
  ) -> RecordedEvent {
    RecordedEvent(ticks: ticks, kind: kind, object: object, argument: argument, info: info)
  }

  private func start(
    _ ticks: UInt64, _ object: UInt, worker: Int, _ origin: JobOrigin = JobOrigin(.ownQueue)
  ) -> RecordedEvent {
    event(
      ticks, .start, object, StartDetails(worker: worker, origin: origin, processor: 1).word)
  }

  private func trace(
    _ rings: [RingContents], names: [String] = [], detail: TraceHeader.Detail = .full
  ) -> Trace {
    RingDecoder(
      rings, names: names, nanosecondsPerTick: 2, header: TraceHeader(detail: detail)
    ).decode()
  }

  private var exampleClass: UInt64 {
    UInt64(UInt(bitPattern: ObjectIdentifier(Example.self)))
  }

  @Test func oneOperationHasWhatItsEventsSay() throws {
    let queue = UInt64(Self.queue)
    let main = ring([
      event(1, .created, Self.a, exampleClass), event(2, .queueMade, Self.queue),
      event(2, .queueNamed, Self.queue, 1),
      event(
        3, .enqueued, Self.a, queue,
        info: EnqueueDetails(band: .high, isBarrier: false).info),
      event(3, .named, Self.a, 0), event(4, .ready, Self.a),
    ])
    let worker = ring([
      event(0, .threadStarts, 0, 3), start(6, Self.a, worker: 3, .steal(from: 1)),
      event(8, .cancelRequested, Self.a), event(9, .finish, Self.a, info: 1),
    ])
    let trace = trace([main, worker], names: ["fetch", "downloads"])
    let operation = try #require(trace.operations.first)
    #expect(trace.operations.count == 1)
    #expect(trace.names[Int(operation.name)] == "fetch")
    #expect(trace.names[Int(operation.kind)] == "Example")
    #expect(trace.names[Int(trace.queues[0].name)] == "downloads")
    #expect(operation.times == [2, 6, 8, 12, 18])
    #expect(operation.cancelRequested == 16)
    #expect(operation.priority == 4)
    #expect(operation.source == .steal)
    #expect(operation.victim == 1)
    #expect(operation.processor == 1)
    #expect(operation.outcome == .cancelled)
    #expect(trace.threads.map(\.worker) == [3])
    #expect(trace.threads[0].systemID == 7)
    #expect(trace.schedulerEvents.map(\.kind) == [.start])
  }

  @Test func anAddressThatIsUsedAgainIsAnotherOperation() {
    let main = ring([
      event(1, .created, Self.a, exampleClass), start(2, Self.a, worker: 0),
      event(3, .finish, Self.a), event(4, .created, Self.a, exampleClass),
      start(5, Self.a, worker: 0), event(6, .finish, Self.a),
    ])
    let trace = trace([main])
    #expect(trace.operations.map(\.started) == [4, 10])
    #expect(trace.operations.map(\.finished) == [6, 12])
  }

  @Test func whatIsMadeAndNeverUsedIsNoOperation() {
    let trace = trace([ring([event(1, .created, Self.a, exampleClass)])])
    #expect(trace.operations.isEmpty)
  }

  @Test func withoutEventsForTheMakingAReadyAfterTheFinishIsOfAnotherOperation() {
    let main = ring([
      event(1, .ready, Self.a), start(2, Self.a, worker: 0), event(3, .finish, Self.a),
      event(4, .ready, Self.a), start(5, Self.a, worker: 0), event(6, .finish, Self.a),
    ])
    #expect(trace([main], detail: .latency).operations.map(\.ready) == [2, 8])
    // A full recording would have said so.
    #expect(trace([main]).operations.map(\.ready) == [2])
  }

  @Test func eventsOfSeveralThreadsAreTakenByTime() {
    let one = ring([event(1, .ready, Self.a), event(9, .ready, Self.b, UInt64(Self.a))])
    let other = ring([start(3, Self.a, worker: 1), event(7, .finish, Self.a)])
    let trace = trace([one, other])
    #expect(trace.operations.map(\.ready) == [2, 18])
    #expect(trace.operations[0].finished == 14)
    #expect(trace.operations[1].releasedBy == 0)
  }

  @Test func aFacadeIsTheClosureThatItStandsFor() {
    let main = ring([
      event(1, .closureAdded, Self.a, UInt64(Self.queue)),
      event(2, .created, Self.b, exampleClass), event(2, .standsFor, Self.b, UInt64(Self.a)),
      start(3, Self.b, worker: 0), event(4, .finish, Self.b),
    ])
    let trace = trace([main])
    #expect(trace.operations.count == 1)
    #expect(trace.operations[0].times == [2, 2, 2, 6, 8])
    #expect(trace.names[Int(trace.operations[0].kind)] == "closure")
  }

  @Test func whatWasHeldIsAdmittedByTheNextReady() {
    let main = ring([
      event(1, .ready, Self.a), event(2, .held, Self.a, info: 1), event(5, .ready, Self.a),
      start(6, Self.a, worker: 0),
    ])
    let operation = trace([main]).operations[0]
    #expect(operation.heldBy == .resource)
    #expect(operation.ready == 2)
    #expect(operation.admitted == 10)
  }

  @Test func aLaterEdgeMakesItReadyLater() {
    let main = ring([
      event(1, .ready, Self.a), event(2, .edge, Self.a, UInt64(Self.b)),
      event(5, .ready, Self.a, UInt64(Self.b)), start(6, Self.a, worker: 0),
    ])
    let trace = trace([main])
    #expect(trace.operations[0].ready == 10)
    #expect(trace.operations[0].releasedBy == 1)
    #expect(trace.edges == [TraceEdge(1, 0)])
  }

  @Test func aThreadThatIsSeveralWorkersCountsForEach() {
    let dispatch = ring([
      start(1, Self.a, worker: 0), event(2, .finish, Self.a), start(3, Self.b, worker: 2),
      event(4, .finish, Self.b),
    ])
    let trace = trace([dispatch])
    #expect(trace.threads.map(\.worker) == [0, 2])
    #expect(trace.operations.map(\.thread) == [0, 1])
  }

  @Test func aParentIsWhatRunsOnTheThreadAtTheMoment() {
    let main = ring([
      start(1, Self.a, worker: 0), event(2, .created, Self.b, exampleClass),
      event(3, .returned, Self.a), event(4, .enqueued, Self.b, UInt64(Self.queue)),
      event(5, .created, 0x3000, exampleClass),
      event(6, .enqueued, 0x3000, UInt64(Self.queue)), event(9, .finish, Self.a),
    ])
    let trace = trace([main])
    #expect(trace.operations.map(\.parent) == [-1, 0, -1])
    #expect(trace.operations[0].returned == 6)
  }

  @Test func changesOfQueuesAreEventsAndWhatWasSoBeforeIsNot() {
    let main = ring([
      event(0, .queueMade, Self.queue), event(0, .queueLimit, Self.queue, 4, info: 1),
      event(0, .queueSuspended, Self.queue, 1, info: 1),
      event(5, .queueSuspended, Self.queue, 0),
      event(6, .queueLimit, Self.queue, UInt64(bitPattern: -1)),
    ])
    let trace = trace([main])
    #expect(trace.queues == [TraceQueue(limit: 4, isSuspended: true)])
    #expect(
      trace.queueEvents == [
        QueueEvent(time: 10, queue: 0, kind: .suspension, value: 0),
        QueueEvent(time: 12, queue: 0, kind: .limit, value: -1),
      ])
  }

  @Test func eventsOfThreadsNameVictims() {
    let worker = ring([
      event(1, .threadStarts, 0, 0), event(2, .park), event(3, .unpark), event(4, .searchBegins),
      event(5, .stealFails, 0, 2), event(6, .steal, 0, 1), event(7, .searchEnds), event(8, .wake),
      event(9, .blocks), event(10, .unblocks), event(11, .threadStops),
    ])
    let trace = trace([worker])
    #expect(
      trace.schedulerEvents.map(\.kind) == [
        .start, .park, .unpark, .searchBegins, .stealFails, .steal, .searchEnds, .wake, .blocks,
        .unblocks, .stop,
      ])
    #expect(trace.schedulerEvents.map(\.other) == [-1, -1, -1, -1, 2, 1, -1, -1, -1, -1, -1])
    #expect(trace.schedulerEvents.allSatisfy { $0.thread == 0 })
  }

  @Test func whatWasOverwrittenIsCounted() {
    let one = ring([event(1, .ready, Self.a)], written: 101)
    let other = ring([event(1, .ready, Self.b)])
    let trace = trace([one, other])
    #expect(trace.header.droppedEvents == 100)
    #expect(trace.header.neededRingEvents == 102)
  }

  @Test func beforeTheTimeFromWhichAllEventsAreThereNoOperationIsKnown() {
    // The event that says that the address is another operation's was overwritten.
    let quiet = ring([event(1, .ready, Self.a), event(2, .mark), event(3, .finish, Self.a)])
    let busy = ring(
      [start(10, Self.a, worker: 0), event(12, .finish, Self.a)], written: 1_000)
    let trace = trace([quiet, busy], names: ["m"])
    #expect(trace.operations.map(\.ready) == [nil])
    #expect(trace.operations.map(\.started) == [20])
    #expect(trace.operations.map(\.finished) == [24])
    #expect(trace.marks.map(\.time) == [4])
  }

  @Test func ringsAreMergedByTimeWhateverTheirNumber() {
    var state: UInt64 = 42
    let rings = (0..<37).map { _ -> RingContents in
      var ticks: UInt64 = 0
      return ring(
        (0..<50).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          ticks += state >> 60
          return event(ticks, .mark)
        })
    }
    let times = trace(rings, names: ["m"]).marks.map(\.time)
    #expect(times.count == 37 * 50)
    #expect(times == times.sorted())
  }
}
