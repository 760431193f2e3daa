// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// A deque for each worker, and a list of what comes from outside.
///
/// A thief asks the workers that hold something, each equally likely, which is whom it would find
/// if it asked everybody in random order at no cost.
struct StealHalfPool: ReadyPool {
  private struct Deque {
    var operations: [Int32] = []
    var head = 0

    var count: Int { operations.count - head }

    mutating func clear() {
      operations.removeAll(keepingCapacity: true)
      head = 0
    }

    mutating func removeOldest(_ number: Int) -> ArraySlice<Int32> {
      head += number
      let taken = operations[head - number..<head]
      // What is in front of the head is of no use; half of the array is worth the copy.
      if head > operations.count / 2 {
        operations.removeFirst(head)
        head = 0
      }
      return taken
    }
  }

  private var deques: [Deque]
  private var outside = Deque()
  /// Workers whose deques hold something, in no order, and where each stands in that list.
  private var holders: [Int] = []
  private var places: [Int]
  private var random: SplitMix64
  /// Times that a worker took from another.
  private(set) var steals = 0

  init(workers: Int, seed: UInt64) {
    deques = Array(repeating: Deque(), count: workers)
    places = Array(repeating: -1, count: workers)
    random = SplitMix64(seed: seed)
  }

  var isEmpty: Bool { holders.isEmpty && outside.count == 0 }

  func hasOwn(_ worker: Int) -> Bool { places[worker] >= 0 }

  mutating func add(_ operation: Int32, from worker: Int) {
    guard worker >= 0 else {
      outside.operations.append(operation)
      return
    }
    deques[worker].operations.append(operation)
    note(worker)
  }

  mutating func take(for worker: Int) -> Int32 {
    if !hasOwn(worker) { fetch(for: worker) }
    let operation = deques[worker].operations.removeLast()
    note(worker)
    return operation
  }

  /// Fills the empty deque of a worker so that the oldest of what it gets comes first.
  private mutating func fetch(for worker: Int) {
    let taken: ArraySlice<Int32>
    if outside.count > 0 {
      taken = outside.removeOldest((outside.count + deques.count - 1) / deques.count)
    } else {
      let victim = holders[random.index(below: holders.count)]
      taken = deques[victim].removeOldest((deques[victim].count + 1) / 2)
      note(victim)
      steals += 1
    }
    deques[worker].operations = taken.reversed()
    deques[worker].head = 0
    note(worker)
  }

  /// Keeps the list of holders true after a change of that deque.
  private mutating func note(_ worker: Int) {
    let holds = deques[worker].count > 0
    if !holds { deques[worker].clear() }
    guard holds != (places[worker] >= 0) else { return }
    if holds {
      places[worker] = holders.count
      holders.append(worker)
    } else {
      let last = holders.removeLast()
      if last != worker {
        holders[places[worker]] = last
        places[last] = places[worker]
      }
      places[worker] = -1
    }
  }
}
