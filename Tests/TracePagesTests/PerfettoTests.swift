// SPDX-License-Identifier: Apache-2.0

import Encodings
import Foundation
import Testing
import TracePages
import TraceSamples
import Traces

/// The events of an export by their phase, as a strict reader of JSON takes them.
private struct ReadEvents {
  let all: [[String: Any]]

  init(_ trace: Trace) throws {
    let bytes = TracePages.perfetto(trace)
    let document = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    all = try #require(document?["traceEvents"] as? [[String: Any]])
  }

  func phase(_ phase: String, category: String? = nil) -> [[String: Any]] {
    all.filter { $0["ph"] as? String == phase }.filter {
      category == nil || $0["cat"] as? String == category
    }
  }

  static func nanoseconds(_ event: [String: Any], _ member: String = "ts") throws -> Int64 {
    let microseconds = try #require(event[member] as? Double)
    return Int64((microseconds * 1000).rounded())
  }
}

@Suite struct PerfettoTests {
  private let trace = PlausibleTrace(layers: 20, width: 12, workers: 3, seed: 7).made()

  @Test func processesAndThreadsAreIntegers() throws {
    for event in try ReadEvents(trace).all {
      #expect(event["pid"] as? Int == 1)
      #expect(event["tid"] is Int)
      #expect(!(event["tid"] is String))
    }
  }

  @Test func everyOperationThatBeganIsASliceOfItsThreadToTheNanosecond() throws {
    let slices = try ReadEvents(trace).phase("X", category: "operation")
    #expect(slices.count == trace.operations.count { $0.started != nil })
    for slice in slices {
      let index = try #require((slice["args"] as? [String: Any])?["operation"] as? Int)
      let operation = trace.operations[index]
      #expect(slice["tid"] as? Int == Int(operation.thread) + 1)
      #expect(try ReadEvents.nanoseconds(slice) == operation.started)
      let end = try ReadEvents.nanoseconds(slice) + ReadEvents.nanoseconds(slice, "dur")
      #expect(end == operation.finished)
    }
  }

  @Test func everyReadyWaitBeginsAndEndsUnderTheIdOfItsOperation() throws {
    let events = try ReadEvents(trace)
    let waiting = trace.operations.indices.filter { index in
      guard let ready = trace.operations[index].ready, let start = trace.operations[index].started
      else { return false }
      return ready < start
    }
    for (phase, time) in [("b", \TracedOperation.ready), ("e", \TracedOperation.started)] {
      let read = events.phase(phase, category: "ready-wait")
      #expect(read.compactMap { $0["id"] as? Int }.sorted() == waiting)
      for event in read {
        let index = try #require(event["id"] as? Int)
        #expect(try ReadEvents.nanoseconds(event) == trace.operations[index][keyPath: time])
      }
    }
  }

  @Test func arrowsBeginAndEndInsideSlicesOfTheirThreads() throws {
    let events = try ReadEvents(trace)
    let slices = try events.phase("X").map { slice in
      let start = try ReadEvents.nanoseconds(slice)
      return (
        thread: slice["tid"] as? Int, start: start,
        end: try start + ReadEvents.nanoseconds(slice, "dur")
      )
    }
    let starts = events.phase("s")
    let ends = events.phase("f")
    #expect(starts.count { $0["cat"] as? String == "dependency" } == trace.edges.count)
    #expect(starts.contains { $0["cat"] as? String == "steal" })
    #expect(starts.map { $0["id"] as? Int } == ends.map { $0["id"] as? Int })
    #expect(Set(starts.compactMap { $0["id"] as? Int }).count == starts.count)
    for event in starts + ends {
      let time = try ReadEvents.nanoseconds(event)
      #expect(
        slices.contains {
          $0.thread == event["tid"] as? Int && $0.start <= time && time < $0.end
        })
    }
    #expect(ends.allSatisfy { $0["bp"] as? String == "e" })
  }

  @Test func countersEndAtZeroAndNeverExceedTheWorkers() throws {
    let counters = try ReadEvents(trace).phase("C")
    for name in ["running", "ready"] {
      let counts = counters.compactMap { ($0["args"] as? [String: Any])?[name] as? Int }
      #expect(counts.count == counters.count)
      #expect(counts.last == 0)
      #expect(counts.allSatisfy { $0 >= 0 })
      #expect(name != "running" || counts.max() == 3)
    }
  }

  @Test func manyCountersAreThinnedToWhatHoldsBehindEachPartOfTheRun() throws {
    let long = PlausibleTrace(layers: 90, width: 120, workers: 3, seed: 3).made()
    let counters = try ReadEvents(long).phase("C")
    #expect(counters.count <= 20_000)
    #expect(counters.count > 5_000)
    for counter in counters.enumerated().filter({ $0.offset % 500 == 0 }).map(\.element) {
      let time = try ReadEvents.nanoseconds(counter)
      let running = long.operations.count { operation in
        guard let start = operation.started, let end = operation.finished else { return false }
        return start <= time && time < end
      }
      #expect((counter["args"] as? [String: Any])?["running"] as? Int == running)
    }
  }

  @Test func aGzipFileHoldsTheExportAndItsChecksum() throws {
    let plain = TracePages.perfetto(trace)
    let packed = TracePages.compressedPerfetto(trace)
    #expect(Array(packed.prefix(3)) == Gzip.magic + [8])
    #expect(packed.count * 5 < plain.count)
    func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    #expect(word(packed.suffix(4)) == UInt32(plain.count))
    // The CRC of RFC 1952, bit by bit.
    let sum = plain.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
    #expect(word(packed.suffix(8).prefix(4)) == ~sum)
    // The same deflated bytes between the head and the checksum of zlib.
    let body = Array(packed.dropFirst(10).dropLast(8))
    let checksum = Zlib.deflated(plain).suffix(4)
    #expect(try Zlib.inflated([0x78, 0x9C] + body + checksum, limit: plain.count) == plain)
  }

  @Test func threadsHaveNamesAndNamesAreEscaped() throws {
    var trace = trace
    trace.names[5] = "main \"loop\"\n\u{1}"
    let named = try ReadEvents(trace).phase("M").filter { $0["name"] as? String == "thread_name" }
    let names = named.compactMap { ($0["args"] as? [String: Any])?["name"] as? String }
    #expect(names == ["worker 0", "worker 1", "worker 2", "main \"loop\"\n\u{1}"])
  }

  @Test func whatASinkThrowsEndsTheExport() {
    struct Full: Error {}
    var pieces = 0
    let long = PlausibleTrace(layers: 30, width: 100, workers: 2, seed: 1).made()
    #expect(throws: Full.self) {
      try TracePages.perfetto(long) { (_: [UInt8]) throws(Full) in
        pieces += 1
        if pieces == 3 { throw Full() }
      }
    }
    #expect(pieces == 3)
  }

  @Test func anEmptyRecordingIsAValidDocument() throws {
    #expect(try ReadEvents(Trace(header: TraceHeader())).phase("X").isEmpty)
  }
}
