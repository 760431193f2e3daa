// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The deques of one worker, one per priority band, each made when it is first used.
///
/// The bank owns its deques: a handle that it gave out is good until the bank is destroyed, so
/// whoever can reach the handle must keep the bank alive.
@usableFromInline package struct DequeBank: ~Copyable, Sendable {
  /// How many deques a bank can have.
  @inlinable package static var count: Int { 5 }

  @usableFromInline internal let addresses: InlineArray<5, Atomic<UInt>>
  @usableFromInline internal let capacity: Int

  /// A bank without deques; each gets room for `capacity` words at first, a power of two.
  package init(capacity: Int = 256) {
    addresses = InlineArray { _ in Atomic(0) }
    self.capacity = capacity
  }

  /// The deque at `index`, if its owner has ever pushed there; any thread.
  @inlinable package func existing(_ index: Int) -> WordDeque? {
    // acquiring, edge DequePublished: pairs with the release in makeDeque().
    let address = addresses[index].load(ordering: .acquiring)
    return address == 0 ? nil : WordDeque(address: address)
  }

  /// The deque at `index`, made now if need be; owner only.
  @inlinable package func owned(_ index: Int) -> WordDeque {
    // relaxed: only the owner writes the address.
    let address = addresses[index].load(ordering: .relaxed)
    return address == 0 ? makeDeque(index) : WordDeque(address: address)
  }

  @usableFromInline internal func makeDeque(_ index: Int) -> WordDeque {
    let deque = WordDeque(capacity: capacity)
    // releasing, edge DequePublished: pairs with the acquire in existing().
    addresses[index].store(deque.address, ordering: .releasing)
    return deque
  }

  deinit {
    for index in 0..<Self.count {
      // relaxed: the owner of the bank has excluded every other thread.
      let address = addresses[index].load(ordering: .relaxed)
      if address != 0 { WordDeque(address: address).destroy() }
    }
  }
}
