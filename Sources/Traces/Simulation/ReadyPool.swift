// SPDX-License-Identifier: Apache-2.0

/// The operations that could start, in the order of a policy.
protocol ReadyPool {
  var isEmpty: Bool { get }

  /// Takes an operation in: from the worker that made it ready, or -1 for outside.
  mutating func add(_ operation: Int32, from worker: Int)

  /// Whether the worker has work of its own.
  func hasOwn(_ worker: Int) -> Bool

  /// What the worker starts next; the pool is not empty.
  mutating func take(for worker: Int) -> Int32
}

extension ReadyPool {
  func hasOwn(_ worker: Int) -> Bool { false }
}

/// Longest ready first.
struct FifoPool: ReadyPool {
  private var operations: [Int32] = []
  private var head = 0

  var isEmpty: Bool { head == operations.count }

  mutating func add(_ operation: Int32, from worker: Int) { operations.append(operation) }

  mutating func take(for worker: Int) -> Int32 {
    head += 1
    return operations[head - 1]
  }
}

/// Last ready first.
struct LifoPool: ReadyPool {
  private var operations: [Int32] = []

  var isEmpty: Bool { operations.isEmpty }

  mutating func add(_ operation: Int32, from worker: Int) { operations.append(operation) }

  mutating func take(for worker: Int) -> Int32 { operations.removeLast() }
}

/// The highest rank first, then the longest ready.
struct RankedPool: ReadyPool {
  private struct Entry: Comparable {
    var rank: Int64
    var number: Int
    var operation: Int32

    /// Whether it goes later.
    static func < (one: Entry, other: Entry) -> Bool {
      one.rank != other.rank ? one.rank < other.rank : one.number > other.number
    }
  }

  private let ranks: [Int64]
  private var heap = Heap<Entry>()
  private var number = 0

  /// - Parameter ranks: one for each operation.
  init(ranks: [Int64]) { self.ranks = ranks }

  var isEmpty: Bool { heap.isEmpty }

  mutating func add(_ operation: Int32, from worker: Int) {
    heap.push(Entry(rank: ranks[Int(operation)], number: number, operation: operation))
    number += 1
  }

  mutating func take(for worker: Int) -> Int32 { heap.popGreatest().operation }
}

/// A binary heap with the greatest element on top.
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  var greatest: Element? { elements.first }

  mutating func push(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[(index - 1) / 2] < elements[index] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the greatest; the heap is not empty.
  mutating func popGreatest() -> Element {
    elements.swapAt(0, elements.count - 1)
    let greatest = elements.removeLast()
    var index = 0
    while true {
      var top = index
      for child in (2 * index + 1)..<(2 * index + 3)
      where child < elements.count && elements[top] < elements[child] {
        top = child
      }
      if top == index { return greatest }
      elements.swapAt(index, top)
      index = top
    }
  }
}
