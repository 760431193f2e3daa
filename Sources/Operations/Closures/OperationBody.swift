// SPDX-License-Identifier: Apache-2.0

/// Work for a queue as a value, which lies in the queue's own memory instead of a closure's.
///
/// A closure keeps what it captures in an object, which is made when it is added and freed when it
/// has run: about a third of what an added closure costs. A body of up to three words is stored in
/// the cell that the queue has for it anyway. A larger one is added as a closure.
public protocol OperationBody: Sendable {
  /// Does the work; called once at most, on a worker.
  consuming func run()
}

extension OperationQueue {
  /// Adds a body; means what adding a closure does that runs it.
  ///
  /// Any thread. O(1). Without any allocation once the thread's cells are warm, for a body that
  /// takes up to three words where the compiler knows its type (`-O`); otherwise, and for a queue
  /// of a subclass, it is added as a closure.
  @discardableResult @inlinable
  public final func addOperation<Body: OperationBody>(_ body: consuming Body) -> OperationHandle {
    guard MemoryLayout<Body>.size <= StoredBody.capacity,
      MemoryLayout<Body>.alignment <= StoredBody.alignment, storesBodies
    else {
      let body = body
      return addOperation { body.run() }
    }
    let cell = takeCell()
    // SAFETY: the cell is this thread's, and its place for a body is large enough and aligned.
    unsafe StoredBody.place(in: cell).initializeMemory(as: Body.self, to: body)
    return unsafe addCell(cell, StoredBody.use(of: Body.self))
  }
}

/// What the queue does with a body without knowing its type.
@usableFromInline enum StoredBody {
  /// Does one of the things below with the body at an address, which is none afterwards.
  @usableFromInline typealias Function =
    @Sendable (UnsafeMutableRawPointer, Use) -> (@Sendable () -> Void)?

  @usableFromInline @frozen enum Use: UInt8 {
    /// Runs it.
    case run
    /// Only lets go of it.
    case drop
    /// Returns a closure that runs it.
    case wrap
  }

  /// Size of a place, B.
  @usableFromInline static var capacity: Int { 24 }
  /// Alignment of a place, B.
  @usableFromInline static var alignment: Int { 8 }

  /// The place for a body in a cell that the caller has taken.
  @unsafe @usableFromInline static func place(in cell: UInt) -> UnsafeMutableRawPointer {
    // SAFETY: cells are never freed.
    unsafe UnsafeMutableRawPointer(bitPattern: cell).unsafelyUnwrapped + ClosureNode.bodyOffset
  }

  /// The function for bodies of a type; it captures nothing where the compiler knows the type.
  @inlinable static func use<Body: OperationBody>(of type: Body.Type) -> Function {
    { place, use in
      // SAFETY: called once, by the owner of the cell, in which `addOperation` has put the body.
      let body = unsafe place.assumingMemoryBound(to: Body.self).move()
      switch use {
      case .run: body.run()
      case .drop: break
      case .wrap: return { body.run() }
      }
      return nil
    }
  }
}
