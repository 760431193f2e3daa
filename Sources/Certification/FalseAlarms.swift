// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
package import Results
internal import Statistics

/// How often equal sides are called different, from pairs in which both sides are the same.
///
/// With equal sides it is chance which side of a pair is called the base, so that exchanging them
/// makes another comparison from the same pairs. Pure functions; any thread.
package enum FalseAlarms {
  /// Comparisons that are made of the pairs of one workload.
  package static let comparisonsPerWorkload = 500

  /// The alarms of comparisons whose sides are exchanged at random, pair by pair.
  ///
  /// - Parameters:
  ///   - logRatios: those of each workload, in the order of measurement.
  ///   - seed: of the exchanges.
  /// - Returns: nil where no workload has pairs enough for an interval.
  package static func exchanged(
    _ logRatios: [[Double]], seed: UInt64, comparisons: Int = comparisonsPerWorkload
  ) -> Certificate.Alarms? {
    var generator = SeededGenerator(seed: seed)
    var alarms = Certificate.Alarms(comparisons: 0, belowFivePercent: 0, verdicts: 0)
    for pairs in logRatios where pairs.count >= PairedRatio.leastPairs {
      let judge = comparison(of: pairs.count)
      for _ in 0..<comparisons {
        let exchanged = pairs.map { generator.index(below: 2) == 0 ? $0 : -$0 }
        alarms.add(judge.outcome(logRatios: exchanged))
      }
    }
    return alarms.comparisons > 0 ? alarms : nil
  }

  /// The alarms of the comparisons as they were measured.
  package static func measured(_ logRatios: [[Double]]) -> Certificate.Alarms? {
    var alarms = Certificate.Alarms(comparisons: 0, belowFivePercent: 0, verdicts: 0)
    for pairs in logRatios where pairs.count >= PairedRatio.leastPairs {
      alarms.add(comparison(of: pairs.count).outcome(logRatios: pairs))
    }
    return alarms.comparisons > 0 ? alarms : nil
  }

  /// The looks of a gate as far as the pairs reach, or one look at fewer.
  private static func comparison(of pairs: Int) -> PairedComparison {
    let looks = SequentialDesign.standard.looks.count { $0 <= pairs }
    return PairedComparison(design: looks > 0 ? .standard.prefix(looks) : .single(pairs: pairs))
  }
}

extension Certificate.Alarms {
  fileprivate mutating func add(_ outcome: PairedOutcome) {
    comparisons += 1
    if outcome.pValue < 0.05 { belowFivePercent += 1 }
    if outcome.verdict == .slower || outcome.verdict == .faster { verdicts += 1 }
  }
}
