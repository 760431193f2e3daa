// SPDX-License-Identifier: Apache-2.0

/// Feeds one input to the reader of our own graphs; what it reads is written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCSV(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  GraphOracle.check { () throws(TaskGraphError) in
    let graph = try GraphCSVReader.read(bytes, path: "fuzz.csv", stem: "fuzz")
    let again = try GraphCSVReader.read(graph.csv(), path: "fuzz.csv", stem: "fuzz")
    guard graph.tasks.count == again.tasks.count else {
      fatalError("\(graph.tasks.count) tasks, read again \(again.tasks.count)")
    }
    for (task, other) in zip(graph.tasks, again.tasks)
    where task.durationNanoseconds != other.durationNanoseconds || task.parents != other.parents {
      fatalError("\(task), read again \(other)")
    }
    return graph
  }
  return 0
}
