// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation

// A program in the style of Foundation: subclasses with `main()`, dependencies, completion blocks.

/// Counts the words of a text.
final class CountWords: Operation, @unchecked Sendable {
  private let text: String
  private(set) var count = 0

  init(text: String) {
    self.text = text
    super.init()
    name = "count of \(text.prefix(8))"
  }

  override func main() {
    if isCancelled { return }
    count = text.components(separatedBy: .whitespaces).filter { !$0.isEmpty }.count
  }
}

/// Adds up what others counted.
final class AddUp: Operation, @unchecked Sendable {
  private(set) var total = 0
  override func main() {
    for case let part as CountWords in dependencies { total += part.count }
  }
}

/// What `countWords(in:)` found.
struct WordCount {
  var total: Int
  var completions: Int
}

/// Counts each text in an operation of its own and the total in one that depends on them.
func countWords(in texts: [String]) -> WordCount {
  let queue = OperationQueue()
  queue.qualityOfService = .userInitiated
  let sum = AddUp()
  let completions = Total()
  let counts = texts.map { text in
    let count = CountWords(text: text)
    count.queuePriority = text.count > 10 ? .high : .normal
    count.completionBlock = { completions.add(1) }
    sum.addDependency(count)
    return count
  }
  queue.addOperations([sum] + counts, waitUntilFinished: true)
  queue.addBarrierBlock { completions.add(100) }
  queue.waitUntilAllOperationsAreFinished()
  return WordCount(total: sum.total, completions: completions.value)
}
