// SPDX-License-Identifier: Apache-2.0

/// The best that a plain first-come-first-served scheduler could do without any cost of its own.
package enum ListSchedule {
  /// The time from start to last finish of a list schedule without overhead.
  ///
  /// A free worker takes the task that has been ready longest; tasks that become ready at the same
  /// instant queue by index. `parents[i]` are the tasks that i waits for, each once; the graph must
  /// be acyclic, the durations not negative and their sum representable. Any unit. Deterministic.
  /// O((n + e) log n). Source: R. L. Graham, Bounds on Multiprocessing Timing Anomalies, 1969,
  /// doi:10.1137/0117039.
  package static func makespan(durations: [Int64], parents: [[Int32]], workers: Int) -> Int64 {
    if workers < 1 {
      fatalError("ListSchedule.makespan: workers is \(workers); expected 1 or more")
    }
    if durations.count != parents.count {
      fatalError(
        "ListSchedule.makespan: \(durations.count) durations for \(parents.count) parent lists; expected equal"
      )
    }
    let children = ChildLists(parents: parents)
    var missing = parents.map(\.count)
    var queue = missing.indices.filter { missing[$0] == 0 }
    var head = 0
    var running = FinishHeap()
    var now: Int64 = 0
    var finished = 0
    while true {
      while running.count < workers, head < queue.count {
        running.push(FinishHeap.Entry(finish: now + durations[queue[head]], task: queue[head]))
        head += 1
      }
      guard let next = running.first else { break }
      now = next.finish
      var ready: [Int] = []
      while let entry = running.first, entry.finish == now {
        running.removeFirst()
        finished += 1
        for child in children[entry.task] {
          missing[child] -= 1
          if missing[child] == 0 { ready.append(child) }
        }
      }
      queue.append(contentsOf: ready.sorted())
    }
    if finished != durations.count {
      fatalError(
        "ListSchedule.makespan: \(durations.count - finished) tasks wait in a cycle; expected none")
    }
    return now
  }
}

/// The reverse of parent lists, flat.
private struct ChildLists {
  private var starts: [Int]
  private var children: [Int]

  init(parents: [[Int32]]) {
    starts = Array(repeating: 0, count: parents.count + 1)
    for list in parents { for parent in list { starts[Int(parent) + 1] += 1 } }
    for index in parents.indices { starts[index + 1] += starts[index] }
    children = Array(repeating: 0, count: starts[parents.count])
    var next = starts
    for (child, list) in parents.enumerated() {
      for parent in list {
        children[next[Int(parent)]] = child
        next[Int(parent)] += 1
      }
    }
  }

  subscript(task: Int) -> ArraySlice<Int> { children[starts[task]..<starts[task + 1]] }
}

/// The running tasks, the one that finishes first on top; ties by index.
private struct FinishHeap {
  struct Entry {
    let finish: Int64
    let task: Int

    static func < (one: Entry, other: Entry) -> Bool {
      (one.finish, one.task) < (other.finish, other.task)
    }
  }

  private var entries: [Entry] = []

  var count: Int { entries.count }

  var first: Entry? { entries.first }

  mutating func push(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index] < entries[(index - 1) / 2] {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && entries[child] < entries[least] {
        least = child
      }
      if least == index { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
