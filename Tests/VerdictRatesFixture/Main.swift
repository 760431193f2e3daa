// SPDX-License-Identifier: Apache-2.0

import Glibc
import Results
import Statistics

/// Prints how often the verdicts are wrong and how often they find what is there, on noise that was
/// measured; for `scripts/verdict-rates`, which says how to call it.
@main
struct VerdictRatesFixture {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let cases = arguments.first.flatMap({ Int($0) }), cases > 0,
      let seed = arguments.dropFirst().first.flatMap({ UInt64($0) }), arguments.count > 2
    else { fatalError("VerdictRatesFixture: expected CASES SEED FILE…") }
    var recorded: [RecordedPairs] = []
    for path in arguments.dropFirst(2) {
      do {
        recorded += RecordedPairs.read(try SchemaCheck.rows(try File.source(path), path: path))
      } catch {
        print("VerdictRatesFixture: \(error)")
        exit(65)
      }
    }
    var missed = 0
    for pairing in ComparisonDesign.Pairing.allCases {
      let own = recorded.filter { $0.pairing == pairing && $0.handicap == nil }
      guard !own.isEmpty else { continue }
      let table = RateTable(own, pairing: pairing, cases: cases, seed: seed)
      print(table.text)
      missed += table.rates.count { !$0.isReached }
    }
    let handicapped = recorded.filter { $0.handicap != nil }
    if !handicapped.isEmpty {
      let table = HandicapTable(handicapped, cases: cases, seed: seed)
      print(table.text)
      missed += table.rates.count { !$0.isReached }
    }
    if missed > 0 { print("\(missed) goals are missed") }
    guard !recorded.isEmpty else {
      print("VerdictRatesFixture: no pairs in the files; expected what `bench compare` wrote")
      exit(65)
    }
    exit(missed > 0 ? 1 : 0)
  }
}
