// SPDX-License-Identifier: Apache-2.0

internal import Gate

extension ExitCode {
  /// How a gate ends.
  ///
  /// One that judged nothing is never a success.
  init(_ result: GateResult, requiresConclusion: Bool, failsOnImprovement: Bool) {
    switch result.verdict {
    case .regression: self = .regression
    case .failed: self = .findings
    case .unjudged: self = .inconclusive
    case .inconclusive where requiresConclusion: self = .inconclusive
    case .inconclusive, .improvement, .held:
      let isBetter = result.members.contains { $0.standing == .improvement }
      self = isBetter && failsOnImprovement ? .improvement : .success
    }
  }
}
