// SPDX-License-Identifier: Apache-2.0

/// A fixed list of objects that hot loops of many threads look into without touching reference counts.
///
/// An array of shared objects costs an atomic increment and decrement of a shared line per look whenever the optimiser
/// cannot prove them away; this table lends its objects instead.
@safe @usableFromInline
package struct ObjectTable<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  @usableFromInline internal nonisolated(unsafe) let objects:
    UnsafeMutablePointer<Unmanaged<Object>>
  /// How many objects there are.
  @usableFromInline package let count: Int

  /// The objects that `make` returns for 0 ..< `count`.
  package init(count: Int, _ make: (Int) -> Object) {
    self.count = count
    unsafe objects = .allocate(capacity: count)
    for index in 0..<count {
      // SAFETY: inside the allocation; retained here, released in deinit.
      unsafe (objects + index).initialize(to: .passRetained(make(index)))
    }
  }

  /// Runs `body` with the object at `index`, which must not be kept.
  @inlinable @inline(__always) package func with<Result>(
    _ index: Int, _ body: (Object) -> Result
  ) -> Result {
    guard index >= 0, index < count else { outOfRange(index) }
    // SAFETY: the index is in range, and the table keeps the object alive for the call.
    return unsafe objects[index]._withUnsafeGuaranteedRef { body($0) }
  }

  @usableFromInline internal func outOfRange(_ index: Int) -> Never {
    fatalError("object table: index \(index); expected 0 ..< \(count)")
  }

  deinit {
    for index in 0..<count {
      // SAFETY: balances the retain of init.
      unsafe objects[index].release()
    }
    unsafe objects.deallocate()
  }
}
