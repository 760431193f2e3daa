// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// The sentences of a profile.
enum ProfileSentence {
  /// How much the recording changed the run, with the interval.
  static func perturbation(_ profile: Profile) -> String {
    guard let outcome = profile.outcome else {
      return "perturbation: unknown; only runs of `bench profile` are compared with runs without "
        + "a recording"
    }
    guard let ratio = profile.perturbation else {
      return "perturbation: unknown, since a run took no time"
    }
    let interval =
      ratio.interval.map {
        ", \(UnitFormatter.percent($0.level)) interval \(UnitFormatter.change($0.low)) to "
          + UnitFormatter.change($0.high)
      } ?? ""
    return "perturbation: \(UnitFormatter.change(ratio.ratio))\(interval), from "
      + "\(outcome.pairs.count) pairs without and with the recording"
  }

  /// How each projection met what was measured.
  static func check(_ check: ProjectionCheck) -> [String] {
    func prediction(_ time: Int64?, _ error: Double?, _ name: String) -> String? {
      guard let time, let error else { return nil }
      return "\(name) \(ProfileText.time(time)) (\(UnitFormatter.change(1 + error)))"
    }
    let predictions = [
      prediction(check.scheduled, check.scheduledError, "list schedule"),
      prediction(check.predicted, check.error, "by work and span"),
      prediction(check.unburdened, check.unburdenedError, "a schedule without overhead"),
    ]
    let lines = [
      "checked on \(check.workers) workers, which took \(ProfileText.time(check.measured)): "
        + predictions.compactMap(\.self).joined(separator: ", ")
    ]
    guard check.speedUp != Double(check.workers) else { return lines }
    return lines + [
      "  for this machine, on which \(check.workers) threads do "
        + "\(UnitFormatter.significant(check.speedUp)) times the work of one"
    ]
  }

  /// Where the realised paths go different ways.
  static func parting(
    _ parting: TraceDifference.Parting, _ first: Profile, _ second: Profile
  ) -> String {
    if parting.first == nil, parting.second == nil {
      return "the makespans hung on the same \(parting.common) operations"
    }
    func name(_ operation: UInt32?, _ profile: Profile) -> String {
      operation.map { ProfileTables.name(Int($0), profile.trace) } ?? "the end"
    }
    return "the paths that the makespans hung on part behind "
      + "\(parting.common) \(parting.common == 1 ? "operation" : "operations"): "
      + "\(name(parting.first, first)) on \(first.scheduler), "
      + "\(name(parting.second, second)) on \(second.scheduler); "
      + "\(parting.shared) operations are on both"
  }

  /// A part of the path that a run hung on, in words.
  static func name(_ part: RealisedPath.Part) -> String {
    switch part {
    case .run: "bodies that ran"
    case .suspended: "operations that went on without a thread"
    case .overhead: "the scheduler's way from one operation to the next"
    case .idle: "ready operations that no worker took"
    case .system: "threads that woke up or had no processor"
    case .policy: "limits, barriers, suspension, resources and conditions"
    case .outside: "the program, which had not added all operations"
    case .unknown: "unknown, since the scheduler does not tell what its threads do"
    }
  }

  /// The same as the name of a row.
  static func label(_ part: RealisedPath.Part) -> String {
    switch part {
    case .run: "bodies"
    case .suspended: "without a thread"
    case .overhead: "scheduler's own path"
    case .idle: "ready, taken by nobody"
    case .system: "waking, no processor"
    case .policy: "limits, barriers, …"
    case .outside: "not all added yet"
    case .unknown: "unknown"
    }
  }

  /// A cause in words.
  static func name(_ cause: WaitCause) -> String {
    switch cause {
    case .workersBusy: "that all workers were busy"
    case .workerHeld: "that one worker was held by one job"
    case .nobodyAwake: "that workers slept and nobody woke them"
    case .lookingElsewhere: "that free workers looked elsewhere"
    case .wakingUp: "that woken workers did not run yet"
    case .operatingSystem: "that workers had no processor"
    case .handingOver: "the scheduler's way from one job to the next"
    case .limit: "a limit of a queue"
    case .barrier: "a barrier"
    case .suspension: "a suspended queue"
    case .resource: "a resource that was used up"
    case .condition: "a condition that was not met"
    case .unknown: "of unknown cause, since this scheduler does not tell what its threads do"
    }
  }
}
