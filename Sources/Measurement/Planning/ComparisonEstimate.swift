// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// What a comparison is expected to take, before anything is measured.
///
/// By the same guesses as `PlanEstimate`; the calibration of each group knows better.
package struct ComparisonEstimate {
  let plan: ComparisonPlan

  package init(plan: ComparisonPlan) { self.plan = plan }

  /// The calibration of every group and its pairs up to the first look, in seconds.
  package var firstLookSeconds: Double {
    plan.groups.indices.reduce(0) { sum, group in
      let pair = pairSeconds(group)
      let looks = plan.looks(pairSeconds: pair, within: 0)
      return sum + pair * Double(looks.looks[0] + 1)
    }
  }

  /// As long as it may take, in seconds.
  package var seconds: Double {
    if case .exactly = plan.pairs { return firstLookSeconds }
    if case .fitting = plan.pairs { return max(firstLookSeconds, plan.budgetSeconds) }
    let share = plan.budgetSeconds / Double(max(1, plan.groups.count))
    let most = plan.groups.indices.reduce(0.0) { sum, group in
      let pair = pairSeconds(group)
      let looks = plan.looks(pairSeconds: pair, within: share)
      return sum + pair * Double((looks.looks.last ?? 0) + 1)
    }
    return min(most, plan.mostSeconds ?? most)
  }

  /// One pair of a group.
  private func pairSeconds(_ group: Int) -> Double {
    let point = plan.groups[group].point
    let sides = point.contestants.map { contestant in
      let width = point.sharesWork ? max(1, min(contestant.workers, plan.cpuCount)) : 1
      return point.iterationSeconds / Double(width) * 1e9
    }
    let processes = plan.pairing == .alternating ? 1 : sides.count
    return Calibration(
      runNanoseconds: sides, launchSeconds: PlanEstimate.childSeconds * Double(processes),
      sampling: plan.sampling, clockStep: 0
    ).pairSeconds
  }
}
