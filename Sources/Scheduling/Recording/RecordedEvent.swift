// SPDX-License-Identifier: Apache-2.0

/// What happened, in an event of a ring.
///
/// The object is the address of an operation, a closure's cell or a queue; addresses are used
/// again, so that only the order in time tells which object an event is of.
package enum EventKind: UInt8, Sendable, CaseIterable {
  // What recordings of latency have as well.
  /// The last edge is resolved. Argument: the operation that released it, or 0.
  case ready = 1
  /// A thread begins it. Argument: `StartDetails`. Info: none.
  case start = 2
  /// It has finished. Info: `FinishDetails`.
  case finish = 3

  /// A closure was made, taken by a queue, and is ready. Argument: the queue.
  case closureAdded = 4
  /// A boundary. Argument: index of its name.
  case mark = 5

  // What only full recordings have.
  /// The object was made. Argument: its class.
  case created = 16
  /// A queue has taken it. Argument: the queue. Info: `EnqueueDetails`.
  case enqueued = 17
  /// Argument: the operation that it waits for. Info: 1 behind a barrier, else 0.
  case edge = 18
  /// It goes on without the thread that began it.
  case returned = 19
  /// The first `cancel()`.
  case cancelRequested = 20
  /// It was ready, and something holds it back. Info: 1 for a resource, 2 for a condition.
  case held = 21
  /// Argument: index of its name.
  case named = 22
  /// The object stands for the closure at the argument.
  case standsFor = 23
  /// The level is another one. Info: the band.
  case priority = 24
  /// A node of a graph of which a run begins. Info: its band.
  case nodeAdded = 25
  /// The second half of a fork, which another thread has taken. Argument: the operation that
  /// forked, or 0.
  case halfTaken = 26

  /// The object is a queue that is new.
  case queueMade = 32
  /// Argument: index of the queue's name.
  case queueNamed = 33
  /// Argument: the queue's limit as two's complement, negative for none. Info: 1 where it was so
  /// when the recording began, else 0.
  case queueLimit = 34
  /// Argument: 1 when the queue is suspended, else 0. Info: as of `queueLimit`.
  case queueSuspended = 35

  /// The thread works for a scheduler. Argument: its worker's index.
  case threadStarts = 48
  /// It does so no more.
  case threadStops = 49
  case searchBegins = 50
  case searchEnds = 51
  case park = 52
  case unpark = 53
  /// It wakes a thread. Argument: the index of the worker that the thread is, and one; 0 where
  /// nobody knows.
  case wake = 54
  /// Argument: the victim's index.
  case steal = 55
  /// Argument: the victim's index.
  case stealFails = 56
  /// A job on it blocks.
  case blocks = 57
  case unblocks = 58
  /// It has waited for a processor since its event before. Argument: for how many nanoseconds.
  case processorWait = 59
  /// A job that is no operation begins on it.
  case jobBegins = 60
  case jobEnds = 61

  /// The kinds up to this one are in recordings of latency.
  package static var lastOfLatency: EventKind { .mark }
  /// The kinds up to this one are in full recordings: all.
  package static var last: EventKind { .jobEnds }
}

/// One event as a ring keeps it: three words.
package struct RecordedEvent: Sendable, Equatable {
  /// Since the recording began, in units of its clock.
  package var ticks: UInt64
  package var kind: EventKind
  /// More about the event, as `kind` says.
  package var info: UInt16
  /// What it happened to, or 0.
  package var object: UInt
  /// As `kind` says.
  package var argument: UInt64

  package init(
    ticks: UInt64, kind: EventKind, object: UInt = 0, argument: UInt64 = 0, info: UInt16 = 0
  ) {
    self.ticks = ticks
    self.kind = kind
    self.object = object
    self.argument = argument
    self.info = info
  }

  /// What an event takes of a ring.
  package static var byteCount: Int { EventRing.wordsPerEvent * MemoryLayout<UInt64>.size }

  /// Bits of an address; those above it hold `info`.
  private static let addressBits: UInt64 = 48

  /// The words of a ring.
  @inline(__always) static func words(
    _ ticks: UInt64, _ kind: EventKind, _ object: UInt, _ info: UInt16
  ) -> (UInt64, UInt64) {
    (ticks << 8 | UInt64(kind.rawValue), UInt64(object) | UInt64(info) << addressBits)
  }

  /// The event behind three words; nil when no event has them.
  init?(words: (UInt64, UInt64, UInt64)) {
    guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: words.0)) else { return nil }
    ticks = words.0 >> 8
    self.kind = kind
    info = UInt16(words.1 >> Self.addressBits)
    object = UInt(words.1 & (1 << Self.addressBits - 1))
    argument = words.2
  }
}

/// The argument of a start: where, and where the job was found.
package struct StartDetails: Sendable, Equatable {
  /// Index of the worker; -1 on other threads.
  package var worker: Int
  package var origin: JobOrigin
  /// The processor's number; -1 where it is not known.
  package var processor: Int32

  package init(worker: Int, origin: JobOrigin, processor: Int32 = -1) {
    self.worker = worker
    self.origin = origin
    self.processor = processor
  }

  /// Worker and processor take 16 bits each, with one added.
  package init(word: UInt64) {
    worker = Int(word >> 48) - 1
    processor = Int32(word >> 32 & 0xFFFF) - 1
    origin = JobOrigin(_word: UInt32(truncatingIfNeeded: word))
  }

  package var word: UInt64 {
    let place = UInt64(UInt16(truncatingIfNeeded: worker &+ 1)) << 48
    return place | UInt64(UInt16(truncatingIfNeeded: processor &+ 1)) << 32 | UInt64(origin.word)
  }
}

/// The info of a finish.
///
/// Flags, and no option set: a literal of one that another room has made takes hundreds of
/// instructions.
package struct FinishDetails: Sendable, Equatable {
  package var isCancelled: Bool
  package var hasFailed: Bool
  /// The body did not run.
  package var isSkipped: Bool

  package init(isCancelled: Bool, hasFailed: Bool, isSkipped: Bool) {
    self.isCancelled = isCancelled
    self.hasFailed = hasFailed
    self.isSkipped = isSkipped
  }

  package init(info: UInt16) {
    self.init(
      isCancelled: info & 1 != 0, hasFailed: info & 2 != 0, isSkipped: info & 4 != 0)
  }

  package var info: UInt16 {
    (isCancelled ? 1 : 0) | (hasFailed ? 2 : 0) | (isSkipped ? 4 : 0)
  }
}

/// The info of an `enqueued`: the band, and whether it is a barrier.
package struct EnqueueDetails: Sendable, Equatable {
  package var band: PriorityBand
  package var isBarrier: Bool

  package init(band: PriorityBand, isBarrier: Bool) {
    self.band = band
    self.isBarrier = isBarrier
  }

  package init(info: UInt16) {
    band = PriorityBand(lowBitsOf: UInt(info))
    isBarrier = info & 8 != 0
  }

  package var info: UInt16 { UInt16(band.rawValue) | (isBarrier ? 8 : 0) }
}
