// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Synchronization

/// The rings of all threads, and the recording that is under way, if one is.
///
/// Rings form a list that only grows. A thread joins a recording with its first event: it takes a
/// ring of its own, or empties the one that it has. Page: Recording.md.
package enum EventRings {
  /// The ring made last, or 0.
  private static let newest = Atomic<UInt>(0)
  // Of the recording that is under way; published by its number.
  private static let capacity = Atomic<Int>(0)
  private static let lastKind = Atomic<UInt8>(0)
  private static let base = Atomic<UInt64>(0)
  private static let longGap = Atomic<UInt64>(.max)

  // MARK: Recordings; one thread at a time

  /// Begins recording number `number`, above 0 and never used before, with room for `capacity`
  /// events per thread, a power of two.
  ///
  /// `threads` rings are made ready. A thread that records all kinds and has had no event for
  /// `longGap` units of the clock asks the system whether it waited for a processor.
  package static func begin(
    _ number: UInt32, capacity: Int, lastKind: EventKind, usesCounter: Bool, threads: Int,
    longGap: UInt64 = .max
  ) {
    // relaxed, all: published by the number.
    self.capacity.store(capacity, ordering: .relaxed)
    self.lastKind.store(lastKind.rawValue, ordering: .relaxed)
    let wantsWaits = lastKind.rawValue >= EventKind.processorWait.rawValue
    self.longGap.store(wantsWaits ? longGap : .max, ordering: .relaxed)
    reserve(threads, capacity)
    shim_set_uses_counter(usesCounter ? 1 : 0)
    base.store(shim_event_time(), ordering: .relaxed)  // relaxed: as above.
    shim_set_recording(number, lastKind.rawValue > EventKind.lastOfLatency.rawValue ? 1 : 0)
  }

  /// No event is recorded any more, but by threads that are in the middle of one; false when the
  /// recording had ended before.
  @discardableResult package static func end(_ number: UInt32) -> Bool {
    shim_end_recording(number) != 0
  }

  /// What the threads have recorded, also while they go on.
  ///
  /// - Parameter positions: by `RingContents.identity`, the number of the first event that is
  ///   wanted;
  ///   0 for others.
  package static func contents(
    of number: UInt32, after positions: [UInt: UInt64] = [:]
  ) -> [RingContents] {
    var found: [RingContents] = []
    unsafe forEach { ring in
      // acquire, edge RingJoined: pairs with the store in `join`.
      if unsafe ring.pointee.recording.load(ordering: .acquiring) == number {
        let identity = UInt(bitPattern: ring)
        var contents = unsafe ring.pointee.contents(from: positions[identity] ?? 0)
        contents.identity = identity
        found.append(contents)
      }
    }
    return found.reversed()
  }

  /// The time since the recording began that is under way or was the last, in its unit.
  package static var sinceBegin: UInt64 {
    // relaxed: whoever asks has begun the recording, or was told of it by who has.
    shim_event_time() &- base.load(ordering: .relaxed)
  }

  // MARK: Events

  /// Records an event of the calling thread, if its recording wants that kind.
  package static func note(
    _ kind: EventKind, _ object: UInt = 0, argument: UInt64 = 0, info: UInt16 = 0
  ) {
    guard let ring = unsafe ring(for: kind) else { return }
    let time = shim_event_time()
    unsafe EventRing.comes(ring, to: time)
    unsafe ring.pointee.append(time, kind, object, argument, info)
  }

  /// Records that the calling thread begins an operation.
  ///
  /// The origin is what the back end has said in the context or, where it has not, by an event.
  package static func noteStart(_ object: UInt, worker: Int, origin: JobOrigin) {
    guard let ring = unsafe ring(for: .start) else { return }
    let noted = unsafe EventRing.takeOrigin(ring)
    let details = StartDetails(
      worker: worker, origin: origin.isUnknown ? noted : origin, processor: shim_processor())
    let time = shim_event_time()
    unsafe EventRing.comes(ring, to: time)
    unsafe ring.pointee.append(time, .start, object, details.word, 0)
  }

  /// Records that the calling thread has finished an operation, and releases its dependents next.
  package static func noteRelease(_ object: UInt, info: UInt16) {
    guard let ring = unsafe ring(for: .finish) else { return }
    let time = shim_event_time()
    unsafe EventRing.comes(ring, to: time)
    unsafe EventRing.appendFinish(ring, time, object, info)
  }

  /// Records that the calling thread has made an operation ready, as `releaser`, if there is one,
  /// had finished.
  package static func noteReady(_ object: UInt, by releaser: UInt = 0) {
    guard let ring = unsafe ring(for: .ready) else { return }
    let time = unsafe ring.pointee.timeOfFinish(of: releaser) ?? shim_event_time()
    unsafe EventRing.comes(ring, to: time)
    unsafe ring.pointee.append(time, .ready, object, UInt64(releaser), 0)
  }

  /// Records several events that happen together.
  package static func noteTogether(_ body: (borrowing EventMoment) -> Void) {
    guard let ring = unsafe ring(for: .last) else { return }
    let time = shim_event_time()
    unsafe EventRing.comes(ring, to: time)
    body(unsafe EventMoment(ring: ring, time: time))
  }

  /// Records a steal, and that the job is what the calling thread runs next.
  package static func noteSteal(from victim: Int) {
    guard let ring = unsafe ring(for: .steal) else { return }
    unsafe EventRing.note(.steal(from: victim), in: ring)
    let time = shim_event_time()
    unsafe EventRing.comes(ring, to: time)
    unsafe ring.pointee.append(time, .steal, 0, UInt64(truncatingIfNeeded: victim), 0)
  }

  // MARK: Rings

  /// The calling thread's ring in the recording that is under way, if that wants events of the
  /// kind.
  @inline(__always)
  private static func ring(for kind: EventKind) -> UnsafeMutablePointer<EventRing>? {
    // acquire, edge RecordingBegun.
    let number = shim_recording_number()
    guard number != 0 else { return nil }
    // SAFETY: the thread's slot holds nothing but a ring that `join` has put there.
    guard let ring = unsafe shim_get_ring()?.assumingMemoryBound(to: EventRing.self),
      // relaxed: this thread has written it.
      unsafe ring.pointee.recording.load(ordering: .relaxed) == number
    else { return unsafe join(number, for: kind) }
    return unsafe kind.rawValue <= ring.pointee.lastKind ? ring : nil
  }

  /// The calling thread joins a recording.
  @inline(never) private static func join(
    _ number: UInt32, for kind: EventKind
  ) -> UnsafeMutablePointer<EventRing>? {
    let settings = RingSettings(
      // relaxed, all: ordered by edge RecordingBegun.
      capacity: capacity.load(ordering: .relaxed), lastKind: lastKind.load(ordering: .relaxed),
      base: base.load(ordering: .relaxed), longGap: longGap.load(ordering: .relaxed))
    guard kind.rawValue <= settings.lastKind else { return nil }
    let ring = unsafe ownRing(settings.capacity, before: number)
    unsafe ring.pointee.join(number, settings)
    return unsafe ring
  }

  /// The ring of the calling thread, which gets one if it has none: a free one of an earlier
  /// recording, or a new one.
  private static func ownRing(
    _ capacity: Int, before number: UInt32
  ) -> UnsafeMutablePointer<EventRing> {
    if let ring = unsafe shim_get_ring() {
      // SAFETY: as in `ring(for:)`.
      return unsafe ring.assumingMemoryBound(to: EventRing.self)
    }
    let ring =
      unsafe freeRing(capacity, before: number)
      ?? freeRing(nil, before: number) ?? add(capacity, isOwned: true)
    let error = unsafe shim_keep_ring(
      ring,
      { ring in
        guard let ring = unsafe ring?.assumingMemoryBound(to: EventRing.self) else { return }
        unsafe EventRing.closeWaitAccount(ring)
        // release, edge RingLeft: pairs with the exchange in `freeRing`.
        unsafe ring.pointee.isOwned.store(false, ordering: .releasing)
      })
    guard error == 0 else {
      fatalError(
        "a thread's ring for events: pthread_setspecific failed with errno \(error); expected a key"
          + " and memory. Record with fewer threads.")
    }
    return unsafe ring
  }

  /// Takes a ring that no thread has and that holds nothing of recording `number`.
  private static func freeRing(
    _ capacity: Int?, before number: UInt32
  ) -> UnsafeMutablePointer<EventRing>? {
    var found: UnsafeMutablePointer<EventRing>?
    unsafe forEach { ring in
      guard unsafe found == nil,
        // relaxed, both: the exchange decides; what a thread of this recording has left is seen by
        // edge RingLeft below.
        unsafe !ring.pointee.isOwned.load(ordering: .relaxed),
        // acquire, edge RingLeft: what its last owner did comes before.
        unsafe ring.pointee.isOwned.compareExchange(
          expected: false, desired: true, ordering: .acquiring
        ).exchanged
      else { return }
      let isFree = unsafe ring.pointee.recording.load(ordering: .relaxed) != number
      if isFree, unsafe capacity == nil || ring.pointee.capacity == capacity {
        unsafe found = unsafe ring
      } else {
        // release, edge RingLeft: as it was taken.
        unsafe ring.pointee.isOwned.store(false, ordering: .releasing)
      }
    }
    return unsafe found
  }

  /// Adds a new ring to the list.
  private static func add(_ capacity: Int, isOwned: Bool) -> UnsafeMutablePointer<EventRing> {
    var older = newest.load(ordering: .relaxed)  // relaxed: the exchange validates it.
    while true {
      let ring = unsafe EventRing.make(capacity: capacity, older: older, isOwned: isOwned)
      if !isOwned { unsafe ring.pointee.touch() }
      // release, edge RingMade: pairs with the load in `forEach`.
      let (done, seen) = newest.compareExchange(
        expected: older, desired: UInt(bitPattern: ring), successOrdering: .releasing,
        failureOrdering: .relaxed)
      if done { return unsafe ring }
      unsafe EventRing.free(ring)
      older = seen
    }
  }

  /// Makes rings until `count` are free and have that room.
  private static func reserve(_ count: Int, _ capacity: Int) {
    var ready = 0
    unsafe forEach { ring in
      // acquire, edge RingLeft: the size is what the last owner has made of it. Nobody takes a ring
      // while no recording is under way.
      let isFree = unsafe !ring.pointee.isOwned.load(ordering: .acquiring)
      if isFree, unsafe ring.pointee.capacity == capacity { ready += 1 }
    }
    while ready < count {
      _ = unsafe add(capacity, isOwned: false)
      ready += 1
    }
  }

  private static func forEach(_ body: (UnsafeMutablePointer<EventRing>) -> Void) {
    // acquire, edge RingMade.
    var address = newest.load(ordering: .acquiring)
    while let ring = unsafe UnsafeMutablePointer<EventRing>(bitPattern: address) {
      unsafe body(ring)
      address = unsafe ring.pointee.older
    }
  }
}
