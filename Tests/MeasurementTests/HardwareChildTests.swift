// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
internal import Measurement
internal import Results
internal import Testing

/// What children of tests count is what the kernel counts, in the place of a processor that many
/// machines do not show: the same calls, threads and lines.
@Suite("The processor's counters in a child") struct HardwareChildTests {
  /// What came of a measurement, by name: figures, or why there are none.
  private func outcome(_ workload: String, counting: String?) throws -> [String: String] {
    let environment = counting.map { ["FIXTURE_COUNTERS": $0] } ?? [:]
    let (code, output, errors) = try Fixture.start(["count", workload], environment: environment)
    try #require(code == 0, "\(errors)")
    let pairs = output.split(separator: "\n").map { $0.split(separator: "=").map(String.init) }
    return Dictionary(pairs.map { ($0[0], $0[1]) }) { "\($0), \($1)" }
  }

  @Test func theWorkOfThreadsThatCameAndWentIsCounted() throws {
    let outcome = try outcome("threads", counting: "kernel")
    #expect(outcome["iterations"] == "3" && outcome["failed"] == nil)
    // Of 10 operations: two threads with 500 pages and a millisecond each.
    let faults = try #require(outcome["cycles"].flatMap(Double.init), "\(outcome)")
    #expect(faults >= 100 && faults < 120)
    let nanoseconds = try #require(outcome["hardware-instructions"].flatMap(Double.init))
    #expect(nanoseconds > 50_000)
    #expect(outcome["cache-misses"] == "no-pmu")
  }

  @Test func onlyWhatIsBetweenTheStampsIsCounted() throws {
    let outcome = try outcome("touches-outside", counting: "kernel")
    #expect(outcome["failed"] == nil)
    #expect(try #require(outcome["cycles"].flatMap(Double.init), "\(outcome)") < 5)
  }

  @Test(arguments: [
    (ENOENT, "no-pmu"), (ENODEV, "no-pmu"), (EOPNOTSUPP, "no-pmu"),
    (EACCES, "perf_event_paranoid"), (EPERM, "perf-events-filtered"), (ENOSYS, "no-perf-events"),
    (EMFILE, "perf-events-errno-24"),
  ]) func whyNothingIsCountedIsTold(error: Int32, reason: String) throws {
    #expect(
      try outcome("empty", counting: "\(error)") == [
        "iterations": "3", "hardware-instructions": reason, "cycles": reason,
        "cache-misses": reason,
      ])
  }

  @Test func whoeverIsNotAskedSaysNothing() {
    let outcome = Fixture.run(Fixture.assignment("empty"))
    #expect(outcome.failure == nil && outcome.missing.isEmpty)
    #expect(Metric.ofHardware.allSatisfy { outcome.metrics[$0] == nil })
  }

  @Test func thisMachineHasFiguresOrSaysWhyNot() throws {
    let outcome = try outcome("spin", counting: nil)
    #expect(outcome["failed"] == nil)
    let told = try Metric.ofHardware.map { try #require(outcome[$0.rawValue]) }
    if let refusal = HardwareCounters.refusal() {
      #expect(told.contains(refusal.reason))
    } else {
      #expect(told.allSatisfy { Double($0) != nil || $0 == CounterRefusal.shared.reason })
    }
  }
}
