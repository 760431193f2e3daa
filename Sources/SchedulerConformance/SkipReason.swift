// SPDX-License-Identifier: Apache-2.0

/// Why a check is not run, or not with this number of workers.
package enum SkipReason: Hashable, Sendable {
  /// The scheduler excepts these statements, which the check shows.
  case excepted([SchedulerConformance.Statement])
  /// The check shows an optional promise that has been found not to be kept.
  case settled(SchedulerConformance.Promise)
  /// The check rests on a promise that the scheduler excepts, for this reason, or that has been
  /// found not to be kept.
  case restsOn(SchedulerConformance.Promise, excepted: String?)
  /// The check runs with one worker, and no number of `Options.workers` gives one.
  case needsOneWorker

  /// For a statement that nothing else shows.
  var text: String {
    switch self {
    case .excepted(let statements):
      let names = statements.map(\.name).joined(separator: " and ")
      return
        "only shown by a check of \(names), which \(statements.count == 1 ? "is" : "are") excepted"
    case .settled(let promise): return ".\(promise) does not hold"
    case .restsOn(let promise, let reason?):
      return "rests on .\(promise), which is excepted: \(reason)"
    case .restsOn(let promise, nil): return "rests on .\(promise), which does not hold"
    case .needsOneWorker: return "it needs one worker, and options.workers gives none"
    }
  }
}

extension Check {
  /// Why a scheduler with these exceptions, and without these promises, is not asked; nil when it
  /// is.
  func reasonToSkip(
    _ exceptions: [SchedulerConformance.Exception],
    without unkept: Set<SchedulerConformance.Promise>
  ) -> SkipReason? {
    let excepted = statements.filter { statement in
      exceptions.contains { $0.statement == statement }
    }
    if !excepted.isEmpty { return .excepted(excepted) }
    for promise in needs {
      if let exception = exceptions.first(where: { $0.statement == .seam(promise) }) {
        return .restsOn(promise, excepted: exception.reason)
      }
      if unkept.contains(promise) { return .restsOn(promise, excepted: nil) }
    }
    return optionalPromises.first(where: unkept.contains).map { .settled($0) }
  }

  /// The optional promises that the check shows.
  var optionalPromises: [SchedulerConformance.Promise] {
    statements.compactMap { statement in
      guard case .seam(let promise) = statement, promise.isOptional else { return nil }
      return promise
    }
  }
}
