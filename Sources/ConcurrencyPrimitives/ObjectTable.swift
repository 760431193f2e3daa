// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A fixed list of objects that hot loops of many threads look into without touching reference
/// counts.
///
/// An array of shared objects costs an atomic increment and decrement of a shared line per look
/// whenever the optimiser cannot prove them away; this table lends its objects instead.
@safe @usableFromInline
package struct ObjectTable<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  @usableFromInline internal nonisolated(unsafe) let objects:
    UnsafeMutablePointer<Unmanaged<Object>>
  /// How many objects there may be.
  @usableFromInline package let capacity: Int
  @usableFromInline internal let made: Atomic<Int>

  /// How many objects there are.
  @inlinable package var count: Int {
    made.load(ordering: .acquiring)  // acquire: pairs with `append`
  }

  /// The objects that `make` returns for 0 ..< `count`, with room for up to `capacity`, by default
  /// no others.
  package init(count: Int, capacity: Int? = nil, _ make: (Int) -> Object) {
    self.capacity = max(count, capacity ?? count)
    made = Atomic(count)
    unsafe objects = .allocate(capacity: self.capacity)
    for index in 0..<count {
      // SAFETY: inside the allocation; retained here, released in deinit.
      unsafe (objects + index).initialize(to: .passRetained(make(index)))
    }
  }

  /// Adds an object behind the others, one caller at a time, if there is room.
  ///
  /// Who looks at the new place must have learnt of it from the caller.
  package func append(_ object: Object) {
    let index = count
    guard index < capacity else { outOfRange(index, capacity) }
    // SAFETY: inside the allocation, and nobody knows of the place yet; retained here, released in
    // deinit.
    unsafe (objects + index).initialize(to: .passRetained(object))
    made.store(index + 1, ordering: .releasing)  // release: shows the object to who counts
  }

  /// Runs `body` with the object at `index`, which must not be kept and must exist.
  @inlinable @inline(__always) package func with<Result>(
    _ index: Int, _ body: (Object) -> Result
  ) -> Result {
    let count = count
    guard index >= 0, index < count else { outOfRange(index, count) }
    // SAFETY: the index is in range, and the table keeps the object alive for the call.
    return unsafe objects[index]._withUnsafeGuaranteedRef { body($0) }
  }

  @usableFromInline internal func outOfRange(_ index: Int, _ bound: Int) -> Never {
    fatalError("object table: index \(index); expected 0 ..< \(bound)")
  }

  deinit {
    for index in 0..<count {
      // SAFETY: balances the retain of init.
      unsafe objects[index].release()
    }
    unsafe objects.deallocate()
  }
}
