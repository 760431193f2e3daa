// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine
internal import Testing

@testable internal import Measurement

@Suite("What the orchestrator understands") struct ResultParserTests {
  private func parse(_ text: String, portion: Int = 7) -> ResultParser {
    var parser = ResultParser()
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: portion) {
      parser.feed(bytes[start..<min(start + portion, bytes.count)])
    }
    return parser
  }

  @Test(arguments: 1...40) func portionsDoNotMatter(_ portion: Int) {
    let parser = parse(
      """
      ready jemalloc 5%25
      iteration 6 1 2 3 4 -5 6 7
      latency 1 2 3
      queue-delay 4
      metric makespan 1e+09
      epoch 900
      rss 4096
      done

      """, portion: portion)
    #expect(parser.complaint == nil)
    #expect(parser.isDone)
    #expect(parser.outcome.allocatorProof == "jemalloc 5%")
    #expect(
      parser.outcome.iterations == [
        IterationSample(
          buildNanoseconds: 1, runNanoseconds: 2, releaseNanoseconds: 3, cpuNanoseconds: 4,
          voluntarySwitches: -5, involuntarySwitches: 6, operations: 7)
      ])
    #expect(parser.outcome.latencies == [1, 2, 3])
    #expect(parser.outcome.queueDelays == [4])
    #expect(parser.outcome.metrics == ["makespan": [1e9]])
    #expect(parser.outcome.peakRSS == 4096)
    #expect(parser.outcome.jemallocEpochNanoseconds == 900)
  }

  @Test(arguments: [
    "", "hello", "iteration", "iteration 6 1 2 3 4 5 6", "iteration 7 1 2 3 4 5 6 7",
    "iteration 6 1 2 3 4 5 6 0", "iteration 6  1 2 3 4 5 6 7", "iteration 6 1 2 3 4 5 6 7 8",
    "iteration 0 18446744073709551615 1 0 0 0 0 0", "latency", "latency ", "latency 1 x",
    "latency -1", "metric steals", "metric steals nan", "metric steals inf", "metric a b 1",
    "rss", "rss 0", "rss -4", "wrong %", "unavailable", "unavailable x", "unavailable  y",
    "done now", "done\ndone", "ready a\nready b",
  ])
  func malformedLinesAreNamed(_ line: String) {
    #expect(parse(line + "\n").complaint != nil)
  }

  @Test func aLineWithoutEndIsCutOff() {
    let parser = parse("ready " + String(repeating: "x", count: 1 << 21), portion: 65_536)
    #expect(parser.complaint?.contains("1 MiB") == true)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func whateverComesIsTakenOrNamed(_ seed: UInt64) {
    var state = seed
    func next() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    let words = ["ready ", "iteration ", "latency ", "metric a ", "rss ", "done", "wrong ", " "]
    var complaints = 0
    for _ in 0..<20_000 {
      var line = ""
      for _ in 0..<1 + next() % 6 {
        switch next() % 3 {
        case 0: line += words[next() % words.count]
        case 1: line += String(UInt64.max >> UInt64(next() % 64))
        default: line.unicodeScalars.append(Unicode.Scalar(UInt8(32 + next() % 90)))
        }
      }
      let parser = parse("ready x\n" + line + "\n", portion: 64)
      if parser.complaint != nil { complaints += 1 }
      // A line that passes has left a trace.
      let outcome = parser.outcome
      let traces =
        outcome.iterations.count + outcome.latencies.count + outcome.metrics.count
        + (outcome.peakRSS == nil ? 0 : 1) + (outcome.failure == nil ? 0 : 1)
        + (parser.isDone ? 1 : 0)
      #expect((parser.complaint == nil) == (traces > 0), "seed \(seed): '\(line)'")
    }
    #expect((1..<20_000).contains(complaints))
  }
}

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
