// SPDX-License-Identifier: Apache-2.0

import BenchmarkSuite

/// `bench` with a scheduler whose knobs make it slower; for `scripts/verdict-rates`.
@main
struct HandicappedFixture {
  static func main() {
    BenchmarkSuite.main(
      tunable: [
        TunableScheduler(
          name: "handicapped", summary: "as slow as its knobs say", knobs: Handicap.knobs
        ) { HandicappedScheduler(workers: $0, handicap: Handicap($1)) }
      ])
  }
}
