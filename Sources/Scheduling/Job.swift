// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The order in which a scheduler is asked to start jobs that are ready; 0 is the most urgent.
@frozen public struct PriorityBand: RawRepresentable, Hashable, Sendable, Comparable {
  /// 0 (most urgent) … 4 (least urgent).
  public let rawValue: UInt8

  /// Returns nil outside 0…4.
  @inlinable public init?(rawValue: UInt8) {
    guard rawValue < Self.count else { return nil }
    self.rawValue = rawValue
  }

  /// The three low bits of a word that holds a band.
  ///
  /// Values 5…7 never occur in a job word.
  @inlinable @inline(__always) public init(lowBitsOf word: UInt) {
    rawValue = UInt8(truncatingIfNeeded: word & 7)
  }

  /// How many bands there are.
  @inlinable public static var count: UInt8 { 5 }
  /// The most urgent band.
  @inlinable public static var veryHigh: Self { Self(lowBitsOf: 0) }
  /// More urgent than `normal`.
  @inlinable public static var high: Self { Self(lowBitsOf: 1) }
  /// The band of a job for which nobody asked for another.
  @inlinable public static var normal: Self { Self(lowBitsOf: 2) }
  /// Less urgent than `normal`.
  @inlinable public static var low: Self { Self(lowBitsOf: 3) }
  /// The least urgent band.
  @inlinable public static var veryLow: Self { Self(lowBitsOf: 4) }

  /// True when `lhs` is more urgent than `rhs`.
  @inlinable public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
  /// A mask with this band's bit; more urgent bands have lower bits.
  @inlinable @inline(__always) public var mask: UInt8 { 1 &<< rawValue }
}

/// What a scheduler runs exactly once: one word, the address of a `JobHeader` with the band in its
/// low bits.
///
/// Whoever holds a job owns it and must run it, or hand it on, exactly once. A job is a plain word:
/// it may live in an atomic slot of a deque and cross threads freely.
///
/// What makes a job of a word or an address, and what runs one, is marked `@unsafe`: under strict
/// memory safety only code that says `unsafe` jumps to a word or runs a job twice. A chain cannot
/// be copied, so the compiler notices when one is handed on twice. A job can, because offers, sets
/// and predicates name jobs that somebody else owns: when a copy goes into a chain beside the
/// original, the conformance kit notices, as `.exactlyOnce`.
@safe @frozen public struct Job: Hashable, Sendable {
  /// Address of the header | band.
  ///
  /// Never 0.
  public let word: UInt

  /// The job whose header lies at `header`, which must be 8-byte aligned or better and outlive the
  /// run.
  @unsafe @inlinable public init(header: UnsafeMutablePointer<JobHeader>, band: PriorityBand) {
    word = UInt(bitPattern: header) | UInt(band.rawValue)
  }

  /// The job that somebody kept as its `word`, in a slot that may be empty: 0 gives nil.
  ///
  /// The caller owns the job from now on. Any other word than one of a job that has not run yet is
  /// undefined behaviour, as is the same word twice.
  @unsafe @inlinable public init?(unsafeWord word: UInt) {
    guard word != 0 else { return nil }
    self.word = word
  }

  /// The band this job was submitted with.
  @inlinable @inline(__always) public var band: PriorityBand { PriorityBand(lowBitsOf: word) }

  /// The same job in another band.
  @inlinable public func moved(to band: PriorityBand) -> Job {
    Job(_word: (word & ~7) | UInt(band.rawValue))
  }

  @inlinable init(_word: UInt) { word = _word }

  /// The header that the word points to.
  @unsafe @inlinable public var header: UnsafeMutablePointer<JobHeader> {
    // SAFETY: `word` was made from a valid pointer in `init(header:band:)`, so it is never null.
    unsafe UnsafeMutablePointer(bitPattern: word & ~7).unsafelyUnwrapped
  }

  /// Whether this is its run function, which says what the header belongs to.
  ///
  /// Whoever asks holds the job.
  @unsafe @inlinable @inline(__always) package func runs(_ function: JobHeader.RunFunction) -> Bool
  {
    unsafe unsafeBitCast(header.pointee.run, to: UInt.self)
      == unsafeBitCast(function, to: UInt.self)
  }

  /// The job that follows this one in a chain, or nil at its end.
  ///
  /// Only the thread that holds the job may call. The order between threads comes from whatever
  /// published the job.
  @inlinable package var next: Job? {
    get {
      // relaxed: the link belongs to the holder; publication of the chain orders it.
      unsafe Job(unsafeWord: header.pointee.link.load(ordering: .relaxed))
    }
    nonmutating set {
      // relaxed: as above.
      unsafe header.pointee.link.store(newValue?.word ?? 0, ordering: .relaxed)
    }
  }

  /// Runs the job and returns its immediate successor, if it made one ready and kept it back.
  ///
  /// Jobs made ready besides the successor are in `context.ready` afterwards; the caller must
  /// publish them before it runs anything else. The job's memory may be gone when this returns: a
  /// second run is undefined behaviour.
  @unsafe @inlinable public func run(in context: inout WorkerContext) -> Job? {
    // SAFETY: the header is valid until its run function has been entered; the context outlives the
    // call.
    unsafe Job(
      unsafeWord: withUnsafeMutablePointer(to: &context) { context in
        unsafe header.pointee.run(UnsafeMutableRawPointer(header), UnsafeMutableRawPointer(context))
      })
  }
}

/// The first two words of whatever a scheduler can run.
///
/// The run function gets the header's address and the `WorkerContext`'s address and returns the
/// word of the immediate successor, or 0.
@safe @frozen public struct JobHeader: ~Copyable {
  /// Runs the job: (header, worker context) → word of the immediate successor, or 0.
  public typealias RunFunction =
    @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> UInt

  /// What to call.
  ///
  /// Never changes.
  @unsafe public let run: RunFunction
  /// Link for chains, injectors and ready lists; belongs to whoever holds the job.
  public let link: Atomic<UInt>

  /// A header that is in no chain.
  @unsafe @inlinable public init(run: RunFunction) {
    unsafe self.run = run
    link = Atomic(0)
  }
}
