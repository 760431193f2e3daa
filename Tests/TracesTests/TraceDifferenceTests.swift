// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Traces

@Suite struct TraceDifferenceTests {
  /// Operations named as told, each ready at 0, with their waits and runs.
  private func trace(_ rows: [(name: String, wait: Int64, run: Int64)]) -> Trace {
    var trace = Trace(header: TraceHeader())
    trace.threads = [TraceThread(worker: 0)]
    for row in rows {
      trace.names.append(row.name)
      var operation = TracedOperation(name: UInt32(trace.names.count - 1))
      operation.ready = 0
      operation.started = row.wait
      operation.finished = row.wait + row.run
      operation.thread = 0
      trace.operations.append(operation)
    }
    return trace
  }

  @Test func operationsOfOneNameCorrespondWhateverTheirOrder() {
    let first = trace([("a", 1, 10), ("b", 2, 20), ("c", 3, 30)])
    let second = trace([("c", 3, 35), ("a", 9, 10), ("d", 0, 0)])
    let difference = TraceDifference(first, second)
    #expect(difference.alignment.partners == [1, -1, 0])
    #expect(difference.alignment.unmatchedInFirst == 1)
    #expect(difference.alignment.unmatchedInSecond == 1)
    #expect(difference.compared == 2)
    #expect(difference.readyWait == 8)
    #expect(difference.run == 5)
    #expect(difference.largest.map(\.first) == [0, 2])
    #expect(difference.largest[0] == .init(first: 0, second: 1, readyWait: 8, run: 0))
  }

  @Test func whatBodiesAddedCorrespondsUnderItsParent() {
    // Two parents with a child each; in the second run the children come in the other order.
    var first = trace([("p", 0, 1), ("q", 0, 1), ("", 0, 1), ("", 0, 1)])
    first.operations[2].parent = 0
    first.operations[3].parent = 1
    for row in 2..<4 { first.operations[row].name = 0 }
    var second = first
    second.operations[2].parent = 1
    second.operations[3].parent = 0
    #expect(TraceAlignment(first, second).partners == [0, 1, 3, 2])
  }

  @Test func pathsPartWhereTheirOperationsDiffer() {
    let first = trace([("a", 0, 1), ("b", 0, 1), ("c", 0, 1), ("d", 0, 1)])
    let difference = TraceDifference(first, first, paths: ([0, 1, 3], [0, 2, 3]), most: 2)
    #expect(difference.parting == .init(common: 1, first: 1, second: 2, shared: 2))
    #expect(difference.largest.count == 2)
    let same = TraceDifference(first, first, paths: ([0, 1], [0, 1]))
    #expect(same.parting == .init(common: 2, first: nil, second: nil, shared: 2))
  }
}
