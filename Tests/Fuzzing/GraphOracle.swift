// SPDX-License-Identifier: Apache-2.0

/// What must hold of every answer of a reader, right or wrong: checked on each fuzz input.
enum GraphOracle {
  /// Stops the process when a graph or an error breaks its promises.
  static func check(_ read: () throws(TaskGraphError) -> TaskGraph) {
    do {
      checkGraph(try read())
    } catch {
      if error.finding.isEmpty || error.expectation.isEmpty || error.remedy.isEmpty {
        fatalError("an error says too little: \(error)")
      }
      if let line = error.line, let column = error.column, line < 1 || column < 1 {
        fatalError("an error has the place \(line):\(column)")
      }
    }
  }

  private static func checkGraph(_ graph: TaskGraph) {
    let count = graph.tasks.count
    var place = Array(repeating: -1, count: count)
    for (position, task) in graph.topologicalOrder().enumerated() { place[task] = position }
    for (index, task) in graph.tasks.enumerated() {
      if place[index] < 0 { fatalError("task \(index) is not in the order") }
      if task.durationNanoseconds < 0 { fatalError("task \(index) has a negative duration") }
      if Set(task.parents).count != task.parents.count {
        fatalError("task \(index) repeats a parent")
      }
      for parent in task.parents where place[Int(parent)] >= place[index] {
        fatalError("task \(index) comes before its parent \(parent)")
      }
    }
    if count == 0 || graph.criticalPathNanoseconds > graph.totalWorkNanoseconds {
      fatalError("\(count) tasks, critical path \(graph.criticalPathNanoseconds)")
    }
  }
}
