// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct TraceValueTests {
  @Test func whatNoEventToldIsNil() {
    var operation = TracedOperation()
    #expect(operation.started == nil)
    operation.started = 0
    #expect(operation.started == 0)
    operation.started = nil
    #expect(operation.started == nil)
  }

  @Test func anOperationFitsIntoTwoCacheLines() {
    #expect(MemoryLayout<TracedOperation>.stride <= 128)
  }
}
