// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Scheduling

/// The ring of events of one thread.
@Suite struct EventRingTests {
  /// A ring that has joined a recording, for one test.
  @safe private final class Ring: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<EventRing>
    let isOver = Atomic<Bool>(false)

    init(capacity: Int, base: UInt64 = 0) {
      unsafe pointer = EventRing.make(capacity: capacity, older: 0, isOwned: true)
      unsafe pointer.pointee.join(
        1, RingSettings(capacity: capacity, lastKind: EventKind.last.rawValue, base: base))
    }

    deinit { unsafe EventRing.free(pointer) }

    func append(_ number: Int) {
      let argument = UInt64(number)
      unsafe pointer.pointee.append(
        argument, .enqueued, UInt(number), argument &* 3, UInt16(truncatingIfNeeded: number))
    }

    func contents() -> RingContents { unsafe pointer.pointee.contents() }
  }

  private func event(_ number: Int) -> RecordedEvent {
    RecordedEvent(
      ticks: UInt64(number), kind: .enqueued, object: UInt(number),
      argument: UInt64(number) &* 3, info: UInt16(truncatingIfNeeded: number))
  }

  @Test func eventsComeBackAsTheyWereWritten() {
    let ring = Ring(capacity: 16)
    for number in 0..<10 { ring.append(number) }
    let contents = ring.contents()
    #expect(contents.written == 10)
    #expect(contents.events == (0..<10).map(event))
    #expect(contents.systemID > 0)
    #expect(!contents.threadName.isEmpty)
  }

  @Test func wordsHoldTheWidestFields() throws {
    let ring = Ring(capacity: 4, base: 100)
    let address: UInt = 1 << 48 - 8
    unsafe ring.pointer.pointee.append(1 << 40, .edge, address, .max, .max)
    let found = try #require(ring.contents().events.first)
    #expect(
      found
        == RecordedEvent(
          ticks: 1 << 40 - 100, kind: .edge, object: address, argument: .max, info: .max))
  }

  @Test(arguments: [1, 2, 8, 64], [0, 1, 7, 8, 9, 63, 64, 65, 1000])
  func aFullRingKeepsTheLatestAndCountsAll(_ capacity: Int, _ count: Int) {
    let ring = Ring(capacity: capacity)
    for number in 0..<count { ring.append(number) }
    let contents = ring.contents()
    // A full ring cannot tell whether its oldest event is being overwritten.
    let first = count < capacity ? 0 : count - capacity + 1
    #expect(contents.written == UInt64(count))
    #expect(contents.events == (first..<count).map(event))
  }

  @Test func whoeverReadsMeanwhileGetsWholeEventsInARow() async {
    let ring = Ring(capacity: 64)
    let count = 200_000
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<count { ring.append(number) }
        ring.isOver.store(true, ordering: .releasing)
      }
      group.addTask {
        var seen: UInt64 = 0
        while !ring.isOver.load(ordering: .acquiring) {
          let contents = ring.contents()
          #expect(contents.written >= seen)
          seen = contents.written
          guard let first = contents.events.first else { continue }
          let numbers = Int(first.argument / 3)..<(Int(first.argument / 3) + contents.events.count)
          #expect(contents.events == numbers.map(event))
        }
      }
    }
    #expect(ring.contents().written == UInt64(count))
  }

  @Test func aRingThatJoinsAgainIsEmptyAndHasTheNewSize() {
    let ring = Ring(capacity: 8)
    for number in 0..<20 { ring.append(number) }
    unsafe ring.pointer.pointee.join(
      2, RingSettings(capacity: 32, lastKind: EventKind.last.rawValue, base: 0))
    #expect(ring.contents().events.isEmpty)
    #expect(ring.contents().written == 0)
    for number in 0..<20 { ring.append(number) }
    #expect(ring.contents().events == (0..<20).map(event))
  }

  @Test(arguments: [-1, 0, 5, 65_534], [nil, 0, 7, 16_000])
  func aStartKeepsWorkerVictimAndProcessor(_ worker: Int, _ victim: Int?) {
    let origin = victim.map { JobOrigin.steal(from: $0) } ?? JobOrigin(.injector)
    let details = StartDetails(worker: worker, origin: origin, processor: 255)
    #expect(StartDetails(word: details.word) == details)
    #expect(details.origin.victim == victim)
    #expect(details.origin.place == (victim == nil ? .injector : .steal))
  }

  @Test(arguments: 0..<5 as Range<UInt8>, [true, false])
  func anAdditionKeepsBandAndBarrier(_ band: UInt8, _ isBarrier: Bool) throws {
    let details = EnqueueDetails(
      band: try #require(PriorityBand(rawValue: band)), isBarrier: isBarrier)
    #expect(EnqueueDetails(info: details.info) == details)
  }
}
