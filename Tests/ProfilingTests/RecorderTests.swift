// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import Testing
import Traces

@testable import Profiling

extension RecordingTests {
  /// How a recording begins and ends.
  @Suite struct RecorderTests {
    @Test func onlyOneIsUnderWayAtATime() throws {
      let recorder = try Recorder.begin()
      #expect(throws: RecordingError.isRecording) { _ = try Recorder.begin() }
      _ = recorder.end()
      _ = try Recorder.begin().end()
    }

    @Test func oneThatIsDroppedHasEnded() throws {
      do { _ = try Recorder.begin() }
      _ = try Recorder.begin().end()
    }

    @Test(arguments: [0, -1, RecordingOptions.mostRingEvents + 1])
    func ringsOfNoSizeAreRefused(_ events: Int) {
      #expect(throws: RecordingError.ringEvents(events)) {
        _ = try Recorder.begin(RecordingOptions(ringEvents: events))
      }
    }

    @Test func aSmallRingDropsTheOldestAndSaysHowManyItNeeds() throws {
      let small = RecordingOptions(ringEvents: 64)
      let run: (OperationQueue, Recorder) -> Void = { queue, _ in
        for index in 0..<500 {
          let operation = BlockOperation {}
          operation.name = "\(index)"
          queue.addOperation(operation)
        }
      }
      let trace = try recording(on: .inline, small, run)
      #expect(trace.header.droppedEvents > 0)
      #expect(trace.operations(named: "499").first?.finished != nil)
      #expect(trace.operations(named: "0").isEmpty)
      let enough = RecordingOptions(ringEvents: trace.header.neededRingEvents)
      let whole = try recording(on: .inline, enough, run)
      #expect(whole.header.droppedEvents == 0)
      #expect(whole.operations.count == 500)
    }

    @Test func anOperationTakesAtMost200BytesOfARingAndAnEdge24() throws {
      let count = 1000
      func bytes(edges: Int) throws -> Int {
        let trace = try recording(on: .inline) { queue, _ in
          let operations = (0..<count).map { _ in BlockOperation {} }
          for (place, operation) in operations.enumerated() {
            for distance in 0..<min(edges, place) {
              operation.addDependency(operations[place - 1 - distance])
            }
          }
          queue.addOperations(operations, waitUntilFinished: false)
        }
        #expect(trace.operations.count == count && trace.header.droppedEvents == 0)
        // One ring, which has to hold one more.
        return (trace.header.neededRingEvents - 1) * RecordedEvent.byteCount
      }
      let perOperation = Double(try bytes(edges: 0)) / Double(count)
      #expect(perOperation <= 200)
      let edges = 2
      let perEdge =
        Double(try bytes(edges: edges) - bytes(edges: 0)) / Double(count * edges - (edges + 1))
      // A busy machine adds some events, of waits for a processor.
      #expect(perEdge.rounded() <= 24)
    }

    @Test func aLaterRecordingHasNothingOfAnEarlierOne() throws {
      _ = try recording(on: .workStealing) { queue, _ in
        for _ in 0..<100 { queue.addOperation {} }
      }
      let trace = try recording(on: .workStealing) { queue, _ in queue.addOperation {} }
      #expect(trace.operations.count == 1)
    }

    @Test func whatWasMadeBeforeIsKnownFromItsFirstMention() throws {
      let scheduler = InlineScheduler()
      let queue = OperationQueue(scheduler: scheduler)
      let operation = BlockOperation {}
      let recorder = try Recorder.begin()
      queue.addOperation(operation)
      let trace = recorder.end()
      let found = try #require(trace.operations.first)
      #expect(found.created == nil)
      #expect(found.times.count == 4)
    }

    @Test func theHeaderSaysWhatWasRecorded() throws {
      let recorder = try Recorder.begin(RecordingOptions(detail: .latency))
      let trace = recorder.end(
        scheduler: "inline", workers: 1, workload: "nothing", parameters: "n:0")
      #expect(trace.header.scheduler == "inline")
      #expect(trace.header.workload == "nothing")
      #expect(trace.header.parameters == "n:0")
      #expect(trace.header.detail == .latency)
      #expect(trace.header.durationNanoseconds > 0)
      #expect(trace.header.neededRingEvents >= 1)
    }
  }
}
