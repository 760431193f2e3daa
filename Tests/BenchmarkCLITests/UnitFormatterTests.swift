// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BenchmarkCLI

@Suite struct UnitFormatterTests {
  @Test(
    arguments: [
      (0, "0 ns"), (0.42, "0.420 ns"), (0.9996, "1.00 ns"), (1, "1.00 ns"), (9.994, "9.99 ns"),
      (9.996, "10.0 ns"), (99.94, "99.9 ns"), (99.96, "100 ns"), (999.4, "999 ns"),
      (999.6, "1.00 µs"), (1_000, "1.00 µs"), (152_345, "152 µs"), (999_600, "1.00 ms"),
      (2.5e6, "2.50 ms"), (1e9, "1.00 s"), (75e9, "75.0 s"), (119e9, "119 s"),
      (120e9, "2.00 min"), (3600e9, "1.00 h"),
    ] as [(Double, String)]) func timesChooseTheirUnit(value: Double, text: String)
  {
    #expect(UnitFormatter.text(value, unit: "ns") == text)
    #expect(UnitFormatter.text(value, unit: "ns/op") == text)
  }

  @Test(
    arguments: [
      (1023, "B", "1023 B"), (1024, "B", "1.00 KiB"), (1_572_864, "B", "1.50 MiB"),
      (3_221_225_472, "B", "3.00 GiB"), (999, "1/s", "999 /s"), (1_234_567, "1/s", "1.23 M/s"),
      (2e9, "1/s", "2.00 G/s"), (0.5, "1", "0.500"), (12.34, "1", "12.3"),
      (0.0001, "1/op", "<0.001"),
      (1234, "1", "1234"),
    ] as [(Double, String, String)]) func otherUnitsFollowTheirOwnSteps(
      value: Double, unit: String, text: String
    )
  {
    #expect(UnitFormatter.text(value, unit: unit) == text)
  }

  @Test func notANumberAndInfinityAreNamed() {
    #expect(UnitFormatter.significant(.nan) == "n/a")
    #expect(UnitFormatter.significant(.infinity) == "∞")
    #expect(UnitFormatter.significant(-12.34) == "-12.3")
  }

  @Test(arguments: [(0.2, "1 s"), (59.1, "1 min 0 s"), (125, "2 min 5 s"), (-3, "0 s")])
  func countdownsRoundUp(seconds: Double, text: String) {
    #expect(UnitFormatter.countdown(seconds: seconds) == text)
  }
}
