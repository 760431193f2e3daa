// SPDX-License-Identifier: Apache-2.0

/// Every change of an operation's `state` word: a function from the word that was found to the word
/// to store.
///
/// The functions are pure. Who may call one, when, and what follows stands in the table of
/// States.md. The caller stores the result: by an exchange that requires the lock bit clear, or
/// when it gives the edit lock up.
enum StateChange {
  // MARK: From state to state

  /// A handle or a `start()` begins it; what is to be skipped begins as skipped.
  @inline(__always) static func begin(_ bits: UInt32) -> UInt32 {
    bits | StateBit.started | (bits & StateBit.toBeSkipped != 0 ? StateBit.skipped : 0)
  }

  /// `finish()` comes before the start, and asks for the end.
  @inline(__always) static func requestFinish(_ bits: UInt32) -> UInt32 {
    bits | StateBit.finishRequested
  }

  /// `cancel()` comes before the end.
  @inline(__always) static func cancel(_ bits: UInt32) -> UInt32 { bits | StateBit.cancelled }

  /// The body has begun, so whoever cancels from here on tells it.
  @inline(__always) static func enterMain(_ bits: UInt32) -> UInt32 { bits | StateBit.mainRan }

  /// Whoever began it leaves it to the thread that finishes it.
  @inline(__always) static func detach(_ bits: UInt32) -> UInt32 { bits | StateBit.detached }

  /// Whoever finishes it elsewhere has sealed it.
  @inline(__always) static func takeOver(_ bits: UInt32) -> UInt32 {
    bits | StateBit.sealedByFinish
  }

  // MARK: Edges

  /// Its edges are registered: later edits go through the lock.
  @inline(__always) static func register(_ bits: UInt32) -> UInt32 {
    (bits | StateBit.registered) & ~StateBit.hold
  }

  /// Who begins it looks at its edges again; see `hold`.
  @inline(__always) static func recall(_ bits: UInt32) -> UInt32 { bits | StateBit.hold }

  /// Its handle is given up; no begin will register edges, so every edit goes through the lock.
  @inline(__always) static func park(_ bits: UInt32) -> UInt32 { bits | StateBit.registered }

  /// One more inline slot holds a dependency; there is room.
  @inline(__always) static func addInlineEdge(_ bits: UInt32) -> UInt32 {
    recall(bits + 1 << StateBit.dependencyCountShift)
  }

  /// The cold table holds dependencies.
  static func spillEdges(_ bits: UInt32) -> UInt32 { bits | StateBit.edgesInCold }

  // MARK: Handles

  /// More than one handle to it is or was out.
  @inline(__always) static func addHandle(_ bits: UInt32) -> UInt32 {
    bits | StateBit.severalHandles
  }

  /// It stands elsewhere in the ready order, and only the latest handle starts it.
  static func move(_ bits: UInt32) -> UInt32 { addHandle(bits) | StateBit.moved }

  // MARK: What it has

  /// Its level; `band` is shifted into place.
  static func setLevel(_ bits: UInt32, _ band: UInt32) -> UInt32 {
    bits & ~StateBit.bandMask | band
  }

  /// Its quality of service; `index` is shifted into place.
  static func setQuality(_ bits: UInt32, _ index: UInt32) -> UInt32 {
    giveExtras(bits & ~StateBit.qualityMask | index)
  }

  /// The cold table says what else happens: the long ways from here on.
  @inline(__always) static func giveExtras(_ bits: UInt32) -> UInt32 { bits | StateBit.hasExtras }

  /// Its start needs more than `main()`.
  static func needColdStart(_ bits: UInt32) -> UInt32 { bits | StateBit.coldStart }

  /// It takes resources when it starts.
  static func needResources(_ bits: UInt32) -> UInt32 { bits | StateBit.needsResources }

  /// Its body finishes it, and not whoever has called `start()`.
  static func endItself(_ bits: UInt32) -> UInt32 { bits | StateBit.endsItself }

  /// It has a completion block or has none.
  static func setCompletion(_ bits: UInt32, _ isThere: Bool) -> UInt32 {
    isThere ? bits | StateBit.hasCompletion : bits & ~StateBit.hasCompletion
  }

  /// It keeps finished dependencies or drops them.
  static func retainDependencies(_ bits: UInt32, _ retains: Bool) -> UInt32 {
    retains ? bits | StateBit.retainsDependencies : bits & ~StateBit.retainsDependencies
  }

  /// Its end cancels dependents if it was cancelled, or does not.
  static func cancelDependents(_ bits: UInt32, _ cancels: Bool) -> UInt32 {
    cancels
      ? giveExtras(bits | StateBit.cancelsDependents) : bits & ~StateBit.cancelsDependents
  }
}
