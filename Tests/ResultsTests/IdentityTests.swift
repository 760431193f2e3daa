// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Results

@Suite("Run, machine and time")
struct IdentityTests {
  /// Reference texts from Python's `datetime.fromtimestamp(n, timezone.utc)`.
  @Test(
    "times agree with Python's calendar",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_769_860_800, "2026-01-31T12:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
  func agreesOnTimes(seconds: Int64, text: String) {
    #expect(Timestamp(unixSeconds: seconds).text == text)
    #expect(Timestamp(text: text)?.unixSeconds == seconds)
  }

  @Test("every 13th day of four centuries reads back")
  func roundTripsDays() {
    for day in stride(from: Int64(0), to: 146_097, by: 13) {
      let time = Timestamp(unixSeconds: day * 86_400 + 86_399)
      if Timestamp(text: time.text) != time { Issue.record("day \(day): \(time.text)") }
    }
  }

  @Test(
    "a text that is no moment is refused",
    arguments: [
      "2026-01-31T12:00:00", "2026-01-31T12:00:60Z", "2026-13-01T00:00:00Z", "2100-02-29T00:00:00Z",
      "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-31t12:00:00Z",
      "1969-12-31T23:59:59Z",
      "2026-1-31T12:00:000Z", "",
    ])
  func refusesOtherTimes(text: String) {
    #expect(Timestamp(text: text) == nil)
  }

  @Test("run ids have 26 digits of Crockford's alphabet and sort by time")
  func sortsRunIDs() throws {
    var generator = Generator(state: 1)
    var last = RunID(unixMilliseconds: 0, using: &generator)
    for step in 1...1000 {
      let id = RunID(unixMilliseconds: Int64(step) * 1_791_234_567, using: &generator)
      #expect(id > last)
      #expect(RunID(text: id.text) == id)
      last = id
    }
    // The time part of the example in the ULID specification.
    #expect(RunID(unixMilliseconds: 1_469_918_176_385).text.hasPrefix("01ARYZ6S41"))
  }

  @Test("run ids of the same millisecond differ")
  func keepsRunIDsApart() {
    let ids = Set((0..<1_000).map { _ in RunID(unixMilliseconds: 1_790_000_000_000).text })
    #expect(ids.count == 1_000)
  }

  /// From the test vectors of the FNV authors.
  @Test(
    "the hash is FNV-1a",
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func hashesAsPublished(text: String, hash: UInt64) {
    #expect(fnv1a(text.utf8) == hash)
  }

  @Test("a machine keeps its id across runs, and another processor changes it")
  func namesMachines() throws {
    let first = try EnvironmentRecord([
      ("cpu_model", "EPYC"), ("cores", "1"), ("load1_before", "0"),
    ])
    let later = try EnvironmentRecord([
      ("cores", "1"), ("cpu_model", "EPYC"), ("load1_before", "3"),
    ])
    let other = try EnvironmentRecord([("cpu_model", "Xeon"), ("cores", "1")])
    #expect(MachineID(of: first) == MachineID(of: later))
    #expect(MachineID(of: first) != MachineID(of: other))
    #expect(MachineID(text: MachineID(of: first).text) == MachineID(of: first))
  }

  @Test("machines are comparable when nothing that matters differs")
  func comparesMachines() throws {
    let plain = try EnvironmentRecord([("cpu_model", "EPYC"), ("online", "2"), ("kernel", "6.1")])
    var later = plain
    later[.kernel] = "6.18"
    #expect(plain.isComparable(with: later))
    later[.online] = "1"
    #expect(!plain.isComparable(with: later))
    #expect(plain.differences(from: later) == [.online])
    later[.online] = nil
    #expect(plain.differences(from: later) == [.online])
  }

  @Test("an environment file has two lines of all columns in order")
  func writesEnvironment() throws {
    let record = try EnvironmentRecord([
      ("suite_file", "ci"), ("cpu_model", "EPYC, 2 GHz"), ("run_id", "X"), ("pmu", ""),
    ])
    let records = try CSVRecordReader.records(record.csv(), path: "a.env.csv")
    #expect(records.count == 2)
    #expect(records[0].fields == EnvironmentColumn.allCases.map(\.rawValue))
    #expect(records[1].fields[EnvironmentColumn.allCases.count - 1] == "ci")
    #expect(records[1].fields.filter { !$0.isEmpty } == ["X", "EPYC, 2 GHz", "ci"])
  }

  @Test("an environment column that nobody knows is an error")
  func refusesUnknownColumns() {
    #expect(throws: EnvironmentError.unknownColumn("cpus")) {
      try EnvironmentRecord([("cpus", "2")])
    }
    #expect(throws: EnvironmentError.repeatedColumn("cores")) {
      try EnvironmentRecord([("cores", "2"), ("cores", "2")])
    }
  }

  @Test("other characters of a file name become dashes, letters beyond ASCII their numbers")
  func namesBenchmarks() {
    #expect(nameReplacingOthers(in: "soykb 2.json") == "soykb-2-json")
    #expect(nameReplacingOthers(in: "größe_1") == "gruF6uDFe_1")
    #expect(nameReplacingOthers(in: "日本語") == "u65E5u672Cu8A9E")
    #expect(nameReplacingOthers(in: "中文字") != nameReplacingOthers(in: "日本語"))
    #expect(nameReplacingOthers(in: "") == "unnamed")
    #expect(isName(nameReplacingOthers(in: "a\u{301}\u{1F600}\n")))
  }
}
