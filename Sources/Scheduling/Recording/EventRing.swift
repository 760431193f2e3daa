// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Synchronization

/// The events of one thread: the latest ones, and the count of all that were written.
///
/// Only the thread that owns the ring writes it. Anybody may read it meanwhile, and then drops what
/// was overwritten under his eyes. A ring is never freed: a thread that ends leaves it to a later
/// one, in a later recording. Page: Recording.md; model: Tests/Models/ring.pml.
@safe struct EventRing: ~Copyable {
  /// Words of an event.
  static let wordsPerEvent = 3

  /// How many events the owner has written in the recording; the next one is number `written`.
  let written = Atomic<UInt64>(0)
  /// The recording that the events belong to.
  let recording = Atomic<UInt32>(0)
  /// A thread has the ring.
  let isOwned: Atomic<Bool>
  /// The ring made before this one, or 0.
  let older: UInt
  /// Where the events lie; changed by the owner when it joins a recording, or by whoever has made
  /// the ring.
  private(set) var slots: UnsafeMutablePointer<Atomic<UInt64>>
  /// Events that fit, a power of two.
  private(set) var capacity: Int
  /// The last kind of event that the recording wants.
  private(set) var lastKind: UInt8 = .max
  /// The time at which the recording began.
  private(set) var base: UInt64 = 0
  /// Reached through a pointer to the ring, part by part: whoever reads the ring meanwhile borrows
  /// the other parts.
  private var own = Owned()
  /// The system's number of the owner, and its name.
  private(set) var systemID: Int32 = 0
  private(set) var name: (UInt64, UInt64) = (0, 0)

  /// What the owner alone reads and writes.
  private struct Owned {
    /// The time of the latest event.
    var latest: UInt64 = 0
    /// After so long without an event, in units of the clock, the owner may have lost its
    /// processor.
    var longGap: UInt64 = .max
    /// The system's account of the owner's waits for a processor, or -1.
    var waitAccount: Int32 = -1
    /// How long they were so far.
    var waitNanoseconds: Int64 = 0
    /// Where the job that the owner runs next was found, if an event has told.
    var origin = JobOrigin(.unknown)
    /// The last finish that dependents wait for: its number and one, its object, its time.
    var finish: (next: UInt64, object: UInt, time: UInt64) = (0, 0, 0)
  }

  private init(capacity: Int, older: UInt, isOwned: Bool) {
    self.older = older
    self.isOwned = Atomic(isOwned)
    self.capacity = capacity
    unsafe slots = Self.allocate(capacity)
  }

  /// A ring in memory of its own, on cache lines of its own.
  static func make(
    capacity: Int, older: UInt, isOwned: Bool
  ) -> UnsafeMutablePointer<EventRing> {
    let place = UnsafeMutableRawPointer.allocate(
      byteCount: (MemoryLayout<EventRing>.size + separation - 1) / separation * separation,
      alignment: separation)
    let ring = unsafe place.bindMemory(to: EventRing.self, capacity: 1)
    unsafe ring.initialize(
      to: EventRing(capacity: capacity, older: older, isOwned: isOwned))
    return unsafe ring
  }

  /// Frees a ring that nobody else has seen.
  static func free(_ ring: UnsafeMutablePointer<EventRing>) {
    unsafe ring.pointee.slots.deallocate()
    unsafe ring.deinitialize(count: 1)
    unsafe UnsafeMutableRawPointer(ring).deallocate()
  }

  /// Two cache lines, which x86 prefetches together.
  private static var separation: Int { 128 }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    let words = capacity * wordsPerEvent
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: words * MemoryLayout<Atomic<UInt64>>.stride, alignment: separation)
    // SAFETY: an atomic word has the size of the word; a slot is written before it is read.
    return unsafe memory.bindMemory(to: Atomic<UInt64>.self, capacity: words)
  }

  /// Writes to every page, so that the system provides the memory now.
  func touch() {
    let wordsPerPage = 512
    for word in stride(from: 0, to: capacity * Self.wordsPerEvent, by: wordsPerPage) {
      // relaxed: nobody reads the ring yet.
      unsafe slots[word].store(0, ordering: .relaxed)
    }
  }

  /// The first word of event `number`.
  @inline(__always) private static func place(of number: UInt64, _ capacity: Int) -> Int {
    (Int(truncatingIfNeeded: number) & (capacity &- 1)) &* wordsPerEvent
  }

  // MARK: The owner's

  /// The calling thread takes the ring over for a recording that begins with this base.
  mutating func join(_ recording: UInt32, _ settings: RingSettings) {
    if capacity != settings.capacity {
      // SAFETY: readers read rings of a recording that is over before the next one begins, and this
      // ring belongs to none of those that follow until the last line.
      unsafe slots.deallocate()
      capacity = settings.capacity
      unsafe slots = Self.allocate(capacity)
    }
    lastKind = settings.lastKind
    base = settings.base
    own.origin = JobOrigin(.unknown)
    own.finish = (0, 0, 0)
    own.latest = settings.base
    own.longGap = settings.longGap
    openWaitAccount()
    systemID = unsafe withUnsafeMutablePointer(to: &name) { name in
      // SAFETY: the two words are 16 bytes.
      unsafe name.withMemoryRebound(to: CChar.self, capacity: 16) {
        unsafe shim_thread_identity($0)
      }
    }
    written.store(0, ordering: .relaxed)  // relaxed: published by the next line.
    // release, edge RingJoined: pairs with the load in `EventRings.contents`.
    self.recording.store(recording, ordering: .releasing)
  }

  /// Appends an event; overwrites the oldest when the ring is full.
  @inline(__always)
  func append(
    _ time: UInt64, _ kind: EventKind, _ object: UInt, _ argument: UInt64, _ info: UInt16
  ) {
    let number = written.load(ordering: .relaxed)  // relaxed: only the owner writes it.
    let words = RecordedEvent.words(time &- base, kind, object, info)
    let place = Self.place(of: number, capacity)
    // release, all three, edge SlotReused: whoever reads one of these words finds `written` to be
    // `number` at least afterwards, and so knows that the event before them in the slot is gone.
    unsafe slots[place].store(words.0, ordering: .releasing)
    unsafe slots[place &+ 1].store(words.1, ordering: .releasing)
    unsafe slots[place &+ 2].store(argument, ordering: .releasing)
    // release, edge EventWritten: pairs with the first load in `contents`.
    written.store(number &+ 1, ordering: .releasing)
  }

  /// The owner records an event at this time.
  ///
  /// After a long time without one it asks the system whether it waited for a processor.
  @inline(__always)
  static func comes(_ ring: UnsafeMutablePointer<EventRing>, to time: UInt64) {
    // The time is one of this thread, or that of a finish that it has recorded: never earlier.
    if unsafe time &- ring.pointee.own.latest > ring.pointee.own.longGap {
      unsafe noteWait(ring, until: time)
    }
    unsafe ring.pointee.own.latest = time
  }

  @inline(never)
  private static func noteWait(_ ring: UnsafeMutablePointer<EventRing>, until time: UInt64) {
    let account = unsafe ring.pointee.own.waitAccount
    guard account >= 0 else { return }
    let total = shim_read_wait_account(account)
    let wait = unsafe total - ring.pointee.own.waitNanoseconds
    guard total >= 0, wait > 0 else { return }
    unsafe ring.pointee.own.waitNanoseconds = total
    unsafe ring.pointee.append(time, .processorWait, 0, UInt64(wait), 0)
  }

  private mutating func openWaitAccount() {
    guard own.longGap < .max else { return }
    if own.waitAccount < 0 { own.waitAccount = shim_open_wait_account() }
    own.waitNanoseconds = own.waitAccount < 0 ? 0 : max(0, shim_read_wait_account(own.waitAccount))
  }

  /// The owner ends.
  static func closeWaitAccount(_ ring: UnsafeMutablePointer<EventRing>) {
    let account = unsafe ring.pointee.own.waitAccount
    if account >= 0 { shim_close_wait_account(account) }
    unsafe ring.pointee.own.waitAccount = -1
  }

  /// Appends the finish of an operation whose dependents are released next.
  @inline(__always)
  static func appendFinish(
    _ ring: UnsafeMutablePointer<EventRing>, _ time: UInt64, _ object: UInt, _ info: UInt16
  ) {
    unsafe ring.pointee.append(time, .finish, object, 0, info)
    // relaxed: only the owner writes it.
    let next = unsafe ring.pointee.written.load(ordering: .relaxed)
    unsafe ring.pointee.own.finish = (next, object, time)
  }

  /// The time of the finish of `object`, if that is the latest event.
  ///
  /// The first dependent is ready at that moment, which need not be read twice. Those after it wait
  /// for the ones before, and have a time of their own.
  @inline(__always)
  func timeOfFinish(of object: UInt) -> UInt64? {
    // relaxed: only the owner writes it.
    let finish = own.finish
    let isLatest = finish.object == object && written.load(ordering: .relaxed) == finish.next
    return isLatest && object != 0 ? finish.time : nil
  }

  /// The job that the owner runs next was found there.
  static func note(_ origin: JobOrigin, in ring: UnsafeMutablePointer<EventRing>) {
    unsafe ring.pointee.own.origin = origin
  }

  /// Where the job that begins was found, and forgets it.
  static func takeOrigin(_ ring: UnsafeMutablePointer<EventRing>) -> JobOrigin {
    let origin = unsafe ring.pointee.own.origin
    unsafe ring.pointee.own.origin = JobOrigin(.unknown)
    return origin
  }

  // MARK: Anybody's

  /// What the ring holds from number `start` on, oldest first; any thread, also while the owner
  /// writes.
  func contents(from start: UInt64 = 0) -> RingContents {
    // acquire, edge EventWritten: what the numbers below it stand for was written before.
    let end = written.load(ordering: .acquiring)
    let first = min(end, max(start, end - min(end, UInt64(capacity))))
    var words: [(UInt64, UInt64, UInt64)] = []
    words.reserveCapacity(Int(end - first))
    for number in first..<end {
      let place = Self.place(of: number, capacity)
      // acquire, all three, edge SlotReused: the second look at `written` comes after them.
      unsafe words.append(
        (
          slots[place].load(ordering: .acquiring), slots[place + 1].load(ordering: .acquiring),
          slots[place + 2].load(ordering: .acquiring)
        ))
    }
    // acquire, edge SlotReused: number `now` may be half written over number `now - capacity`.
    let now = written.load(ordering: .acquiring)
    let lost = now >= UInt64(capacity) ? now + 1 - UInt64(capacity) : 0
    let events = words.dropFirst(Int(min(max(first, lost), end) - first)).map { words in
      guard let event = RecordedEvent(words: words) else {
        fatalError("a thread's ring holds the word \(words.0); expected that of an event")
      }
      return event
    }
    return RingContents(
      systemID: systemID, threadName: nameText, written: now, events: events, end: end)
  }

  private var nameText: String {
    var text = ""
    for word in [name.0, name.1] {
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        let byte = UInt8(truncatingIfNeeded: word >> shift)
        guard byte != 0 else { return text }
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return text
  }
}

/// A moment for several events of the calling thread, which has read the time once.
@safe package struct EventMoment: ~Copyable {
  private let ring: UnsafeMutablePointer<EventRing>
  private let time: UInt64

  init(ring: UnsafeMutablePointer<EventRing>, time: UInt64) {
    unsafe self.ring = unsafe ring
    self.time = time
  }

  /// Records an event of a kind that full recordings have.
  @inline(__always)
  package func note(
    _ kind: EventKind, _ object: UInt, argument: UInt64 = 0, info: UInt16 = 0
  ) {
    // SAFETY: rings are never freed, and the moment does not leave the thread.
    unsafe ring.pointee.append(time, kind, object, argument, info)
  }
}

/// How the rings of a recording are.
struct RingSettings: Sendable {
  /// Events that fit into a ring, a power of two.
  var capacity: Int
  /// The last kind of event that is wanted.
  var lastKind: UInt8
  /// The time at which the recording began.
  var base: UInt64
  /// After so long without an event, in units of the clock, a thread asks the system for its waits;
  /// the greatest number for never.
  var longGap: UInt64 = .max
}

/// What was found in the ring of one thread.
package struct RingContents: Sendable {
  /// The system's number of the thread.
  package var systemID: Int32
  package var threadName: String
  /// Events that the thread has written, with those that were overwritten.
  package var written: UInt64
  /// The latest ones, oldest first.
  package var events: [RecordedEvent]
  /// The number of the event that comes next.
  package var end: UInt64
  /// Tells rings of one recording apart.
  package var identity: UInt = 0

  package init(
    systemID: Int32, threadName: String, written: UInt64, events: [RecordedEvent],
    end: UInt64? = nil
  ) {
    self.systemID = systemID
    self.threadName = threadName
    self.written = written
    self.events = events
    self.end = end ?? written
  }
}
