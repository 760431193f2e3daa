// SPDX-License-Identifier: Apache-2.0

internal import Machine
internal import Measurement
internal import Traces

extension CommandLineTool {
  /// Records the program on two workers too, and holds the projection from one against that.
  ///
  /// Nil unless the profile is one of one worker that stands for the run, and the machine and the
  /// scheduler have two.
  func projectionCheck(
    of profile: Profile, _ request: ProfileRequest, _ files: ProfileFiles, _ run: ProfiledRun,
    observe: (Int) -> Void
  ) throws(MeasurementFailure) -> Result<ProjectionCheck?, ToolFailure> {
    let workers = 2
    guard profile.trace.header.workers == 1, let graph = profile.report.graph,
      !ProfileText.isPerturbed(profile), let before = MachineFigures.speedup(threads: workers),
      let one = profile.typicalMakespan
    else { return .success(nil) }
    var wider = request
    wider.run.measurement.workers = [workers]
    wider.run.quiet = true
    let plan: MeasurementPlan
    do { plan = try profilePlan(wider) } catch { return .failure(error) }
    guard
      let contestant = plan.groups[0].contestants.firstIndex(where: {
        $0.name == profile.scheduler && $0.workers == workers
      })
    else { return .success(nil) }
    let assignment = plan.assignment(
      round: 0, group: 0, contestant: contestant, timeBudgetNanoseconds: 0)
    let other = try files.withScratch { folder throws(MeasurementFailure) in
      try record(
        assignment, profile.scheduler, folder + "/projection.trace", wider, plan, run,
        observe: observe)
    }
    let after = MachineFigures.speedup(threads: workers) ?? before
    return other.map { other in
      guard let measured = other.typicalMakespan else { return nil }
      // The recording is of one run; others of the same kind took as much longer or shorter.
      let scale = Double(one) / Double(profile.report.window.makespan)
      func schedule(isBurdened: Bool) -> Int64? {
        (try? Projection.schedule(of: profile.trace, isBurdened: isBurdened)).map {
          Int64((Double($0(workers)) * scale).rounded())
        }
      }
      return ProjectionCheck(
        graph.projection, workers: workers, measured: measured, speedUp: (before + after) / 2,
        scheduled: schedule(isBurdened: true), unburdened: schedule(isBurdened: false))
    }
  }
}

extension Profile {
  /// The makespan of the recorded run that is in the middle of all of them, ns.
  ///
  /// Only one has a makespan; of the others there is the time that they took.
  fileprivate var typicalMakespan: Int64? {
    guard let departure = outcome?.departure, departure > 0 else { return nil }
    return Int64((Double(report.window.makespan) / departure).rounded())
  }
}
