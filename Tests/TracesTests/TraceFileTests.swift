// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Results
import TestFolders
import Testing

@testable import Traces

@Suite struct TraceFileTests {
  @Test func whatIsReadIsWhatWasWritten() throws {
    let everything = SampleTraces.everything()
    #expect(try TraceFile.decode(TraceFile.encode(everything), path: "x") == everything)
    let empty = Trace(header: TraceHeader())
    #expect(try TraceFile.decode(TraceFile.encode(empty), path: "x") == empty)
    for seed in 1...20 as ClosedRange<UInt64> {
      let trace = SampleTraces.random(Int(seed) * 7, seed: seed)
      #expect(try TraceFile.decode(TraceFile.encode(trace), path: "x") == trace, "seed \(seed)")
    }
  }

  /// A property that is new has to be written by `TraceEncoder`, read by `TraceDecoder`, and set in
  /// `SampleTraces.everything`.
  @Test func noPropertyIsForgotten() throws {
    let trace = SampleTraces.everything()
    func properties(_ value: Any) -> Int { Mirror(reflecting: value).children.count }
    #expect(properties(trace) == 9)
    #expect(properties(trace.header) == 11)
    #expect(properties(trace.threads[0]) == 3)
    #expect(properties(trace.queues[0]) == 3)
    #expect(properties(trace.operations[0]) == 22)
    #expect(properties(trace.edges[0]) == 3)
    #expect(properties(trace.schedulerEvents[0]) == 4)
    #expect(properties(trace.queueEvents[0]) == 4)
    #expect(properties(trace.marks[0]) == 2)
  }

  @Test func everyCutIsRefusedWithItsPlace() {
    let bytes = TraceFile.encode(SampleTraces.everything())
    for length in bytes.indices {
      let error = #expect(throws: TraceFileError.self) {
        try TraceFile.decode(Array(bytes[..<length]), path: "cut.trace")
      }
      #expect(error?.path == "cut.trace")
      #expect(error?.offset != nil)
      #expect(error?.nextStep.isEmpty == false)
    }
    #expect(throws: TraceFileError.self) { try TraceFile.decode(bytes + [0], path: "long.trace") }
  }

  @Test func everyFlippedBitIsRefused() {
    let bytes = TraceFile.encode(SampleTraces.everything())
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        #expect(throws: TraceFileError.self, "byte \(index), bit \(bit)") {
          try TraceFile.decode(damaged, path: "x")
        }
      }
    }
  }

  /// With a checksum that fits, so that the parts themselves are read.
  @Test func whatSomebodyMadeUpIsRefusedOrReadAndNeverCrashes() throws {
    let original = TraceFile.encode(SampleTraces.everything())
    let end = original.count - TraceFile.checksumLength
    var read = 0
    for index in TraceFile.prefixLength..<end {
      for value in [0, 1, 0x7F, 0x80, 0xFF, original[index] ^ 1, original[index] &+ 2] as [UInt8] {
        var made = Array(original[..<end])
        made[index] = value
        made += TraceFile.fixed(TraceFile.checksum(made[...]))
        do throws(TraceFileError) {
          let trace = try TraceFile.decode(made, path: "x")
          #expect(TraceCheck.finding(trace) == nil)
          #expect(try TraceFile.decode(TraceFile.encode(trace), path: "x") == trace)
          read += 1
        } catch {
          #expect(error.offset.map { (0...made.count).contains($0) } == true)
        }
      }
    }
    #expect(read > 0)
  }

  @Test func foreignNewerAndDamagedFilesSayWhatTheyAre() {
    func message(_ bytes: [UInt8]) -> String {
      do throws(TraceFileError) {
        _ = try TraceFile.decode(bytes, path: "a.trace")
        return "read"
      } catch { return error.description }
    }
    #expect(
      message(Array("schema,run\n".utf8))
        == "a.trace: byte 0: this is no recording; expected a file that `bench profile --trace` "
        + "wrote; name one")
    #expect(message([]).hasPrefix("a.trace: byte 0: the file is empty; expected a file that"))
    var bytes = TraceFile.encode(SampleTraces.everything())
    bytes[TraceFile.magic.count] = TraceFile.version + 1
    #expect(
      message(bytes)
        == "a.trace: byte 8: the recording has form \(TraceFile.version + 1); expected form "
        + "\(TraceFile.version); read it with the `bench` that wrote it, or record the run again "
        + "with this one")
    bytes[TraceFile.magic.count] = TraceFile.version
    bytes[40] ^= 4
    #expect(message(bytes).contains("the bytes do not fit their checksum; expected the bytes that"))
  }

  @Test func aRecordingThatPointsNowhereIsRefused() {
    var trace = SampleTraces.everything()
    trace.edges.append(TraceEdge(0, 2))
    let error = #expect(throws: TraceFileError.self) {
      try TraceFile.decode(TraceFile.encode(trace), path: "x")
    }
    #expect(error?.finding == "edge 2 goes from 0 to 2 of 2")
  }

  @Test func aFileThatIsNotThereSaysSo() throws {
    try TestDirectory.with { folder in
      let error = #expect(throws: TraceFileError.self) {
        try TraceFile.read(folder + "/none.trace")
      }
      #expect(error?.isUnreadable == true)
      let path = folder + "/some.trace"
      try TraceFile.write(SampleTraces.everything(), to: path, overwrite: false)
      #expect(try TraceFile.read(path) == SampleTraces.everything())
      #expect(throws: FileError.self) {
        try TraceFile.write(SampleTraces.everything(), to: path, overwrite: false)
      }
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["BENCH_LONG_TESTS"] == "1"))
  func aMillionOperationsAreWrittenAndReadInSeconds() throws {
    let trace = SampleTraces.random(1_000_000, seed: 3)
    let clock = ContinuousClock()
    var bytes: [UInt8] = []
    let writing = clock.measure { bytes = TraceFile.encode(trace) }
    var copy: Trace?
    let reading = try clock.measure { copy = try TraceFile.decode(bytes, path: "x") }
    print(
      "1000000 operations, \(trace.edges.count) edges: \(bytes.count) bytes, written in "
        + "\(writing), read in \(reading)")
    #expect(copy == trace)
    #expect(writing < .seconds(10) && reading < .seconds(10))
  }
}
