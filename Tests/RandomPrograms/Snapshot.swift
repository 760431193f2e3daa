// SPDX-License-Identifier: Apache-2.0

/// What a program can see when nothing goes on by itself any more.
package struct Snapshot: Sendable, Equatable {
  package struct Flags: Sendable, Equatable {
    /// Nil where the comparison forgives it; see `KnownDefect`.
    package var isReady: Bool?
    package var isExecuting = false
    package var isFinished = false
    package var isCancelled = false
    package var priority = 0
    package var dependencies: [Int] = []

    package init(
      isReady: Bool? = nil, isExecuting: Bool = false, isFinished: Bool = false,
      isCancelled: Bool = false, priority: Int = 0, dependencies: [Int] = []
    ) {
      self.isReady = isReady
      self.isExecuting = isExecuting
      self.isFinished = isFinished
      self.isCancelled = isCancelled
      self.priority = priority
      self.dependencies = dependencies
    }
  }
  package struct Queue: Sendable, Equatable {
    package var count = 0
    package var limit = -1
    package var isSuspended = false
    /// A wait for the queue returns; nil where that cannot be asked without waiting.
    package var isQuiet: Bool?

    package init(
      count: Int = 0, limit: Int = -1, isSuspended: Bool = false, isQuiet: Bool? = nil
    ) {
      self.count = count
      self.limit = limit
      self.isSuspended = isSuspended
      self.isQuiet = isQuiet
    }
  }
  /// Nil for operations without an object.
  package var flags: [Flags?]
  /// How often each body ran.
  package var runs: [Int]
  /// How often the further blocks of each operation ran.
  package var extraRuns: [Int]
  package var completions: [Int]
  package var queues: [Queue]
  /// Which waiting threads have returned.
  package var returned: [Bool]
  /// What a `list` step found; closures as -1.
  package var listed: [Int]?

  /// This snapshot with what `other` does not say left out.
  package func masked(by other: Snapshot) -> Snapshot {
    var masked = self
    for number in flags.indices where other.flags[number]?.isReady == nil {
      masked.flags[number]?.isReady = nil
    }
    for number in queues.indices where other.queues[number].isQuiet == nil {
      masked.queues[number].isQuiet = nil
    }
    return masked
  }

  /// What differs, in words; `first` and `second` name the two.
  package func differences(_ first: String, from other: Snapshot, _ second: String) -> [String] {
    var found: [String] = []
    func compare<Value: Equatable>(_ what: String, _ mine: Value, _ theirs: Value) {
      if mine != theirs { found.append("\(what): \(first) \(mine), \(second) \(theirs)") }
    }
    for number in flags.indices {
      if let mine = flags[number], let theirs = other.flags[number] {
        if let one = mine.isReady, let two = theirs.isReady {
          compare("\(number).isReady", one, two)
        }
        compare("\(number).isExecuting", mine.isExecuting, theirs.isExecuting)
        compare("\(number).isFinished", mine.isFinished, theirs.isFinished)
        compare("\(number).isCancelled", mine.isCancelled, theirs.isCancelled)
        compare("\(number).queuePriority", mine.priority, theirs.priority)
        compare("\(number).dependencies", mine.dependencies, theirs.dependencies)
      }
      compare("runs of \(number)", runs[number], other.runs[number])
      compare("runs of further blocks of \(number)", extraRuns[number], other.extraRuns[number])
      compare("completions of \(number)", completions[number], other.completions[number])
    }
    for number in queues.indices {
      compare("count of queue \(number)", queues[number].count, other.queues[number].count)
      compare("limit of queue \(number)", queues[number].limit, other.queues[number].limit)
      compare(
        "isSuspended of queue \(number)", queues[number].isSuspended,
        other.queues[number].isSuspended)
      if let mine = queues[number].isQuiet, let theirs = other.queues[number].isQuiet {
        compare("a wait for queue \(number) returns", mine, theirs)
      }
    }
    compare("waiting threads that returned", returned, other.returned)
    compare("members listed", listed ?? [], other.listed ?? [])
    return found
  }
}
