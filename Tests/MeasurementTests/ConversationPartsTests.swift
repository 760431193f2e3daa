// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable internal import Measurement

@Suite("Small parts of the conversation") struct ConversationPartsTests {
  @Test func theTailBeginsWithAWholeLine() {
    var tail = TailBuffer(limit: 10)
    tail.append(Array("one\n".utf8)[...])
    #expect(tail.text == "one")
    tail.append(Array("two\nthree\n".utf8)[...])
    #expect(tail.text == "…\nthree")
  }

  @Test func aStopwatchEndsAndRoundsUp() {
    var stopwatch = Stopwatch(limit: .nanoseconds(1_500_000))
    #expect((1...2).contains(stopwatch.nextWaitMilliseconds()))
    #expect(eventually(within: .seconds(5)) { stopwatch.nextWaitMilliseconds() == 0 })
    var endless = Stopwatch(limit: .seconds(3600))
    #expect(endless.nextWaitMilliseconds() == 1000)
    var none = Stopwatch(limit: .zero)
    #expect(none.nextWaitMilliseconds() == 0)
  }
}
