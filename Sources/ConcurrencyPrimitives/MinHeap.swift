// SPDX-License-Identifier: Apache-2.0

/// A binary heap with the least element first; O(log count) to add and to remove one.
package struct MinHeap<Element: Comparable> {
  @usableFromInline var elements: [Element] = []

  /// An empty one.
  @inlinable package init() {}

  /// How many elements there are.
  @inlinable package var count: Int { elements.count }
  /// The least element.
  @inlinable package var first: Element? { elements.first }

  /// Adds an element.
  @inlinable package mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the least element.
  @inlinable @discardableResult package mutating func popFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if !elements.isEmpty { replaceFirst(with: last) }
    return first
  }

  /// Puts an element in the place of the least one, which must be there; O(log count).
  @inlinable package mutating func replaceFirst(with element: Element) {
    elements[0] = element
    sink(0)
  }

  /// Removes what `isRemoved` accepts; O(count).
  @inlinable package mutating func removeAll(where isRemoved: (Element) -> Bool) {
    elements.removeAll(where: isRemoved)
    for index in (0..<elements.count / 2).reversed() { sink(index) }
  }

  @usableFromInline mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < elements.count {
        if elements[child] < elements[least] { least = child }
      }
      guard least != index else { return }
      elements.swapAt(index, least)
      index = least
    }
  }
}

extension MinHeap: Sendable where Element: Sendable {}
