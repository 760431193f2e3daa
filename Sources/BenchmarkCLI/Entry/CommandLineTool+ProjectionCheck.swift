// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Harness
internal import Machine
internal import Measurement
internal import Traces

extension CommandLineTool {
  /// Records the program on two workers too, and holds the projection from one against that.
  ///
  /// Nil unless the profile is one of one worker that stands for the run, and the machine and the
  /// scheduler have two; nil with a remark where the second run fails.
  func projectionCheck(
    of profile: Profile, _ assignment: Assignment, _ request: ProfileRequest,
    _ plan: MeasurementPlan, _ files: ProfileFiles, _ run: ProfiledRun, observe: (Int) -> Void
  ) throws(MeasurementFailure) -> ProjectionCheck? {
    let workers = 2
    guard assignment.workers == 1, request.breakOverNanoseconds == nil,
      (assignment.cpus ?? Int(shim_usable_cpus())) >= workers,
      suite.schedulers.contains(where: { $0.name == profile.scheduler && $0.fixedWorkers == nil }),
      let one = profile.typicalMakespan, let before = speedUp(of: request, workers: workers)
    else { return nil }
    var wider = assignment
    wider.workers = workers
    let recorded: Result<Profile, ToolFailure>
    do throws(MeasurementFailure) {
      recorded = try files.withScratch { folder throws(MeasurementFailure) in
        try record(
          wider, profile.scheduler, folder + "/projection.trace", request, plan, run,
          observe: observe)
      }
    } catch .interrupted { throw .interrupted } catch {
      console.say("bench: the projection is not checked on \(workers) workers: \(error)")
      return nil
    }
    let other: Profile
    do throws(ToolFailure) { other = try recorded.get() } catch {
      console.say("bench: the projection is not checked on \(workers) workers: \(error.finding)")
      return nil
    }
    guard let graph = profile.report.graph, let measured = other.typicalMakespan else { return nil }
    let after = speedUp(of: request, workers: workers) ?? before
    // The recording is of one run; others of the same kind took as much longer or shorter.
    let scale = Double(one) / Double(profile.report.window.makespan)
    let unburdened = try? Projection.schedule(of: profile.trace, isBurdened: false)
    return ProjectionCheck(
      graph.projection, workers: workers, measured: measured, speedUp: (before + after) / 2,
      scale: scale,
      scheduled: graph.projection.points.first { $0.workers == workers }?.scheduled,
      unburdened: unburdened?(workers))
  }

  /// What so many threads reach together, as a multiple of one: their number where bodies spin by
  /// the clock, which needs no processor; nil where nobody can tell.
  private func speedUp(of request: ProfileRequest, workers: Int) -> Double? {
    let spins = !request.run.graphPaths.isEmpty && request.run.measurement.body == .spin
    return spins ? Double(workers) : MachineFigures.speedup(threads: workers)
  }
}

extension Profile {
  /// The makespan of the recorded run that is in the middle of all of them, ns; nil where the
  /// recording does not stand for the run.
  ///
  /// Only one has a makespan; of the others there is the time that they took.
  fileprivate var typicalMakespan: Int64? {
    guard report.graph != nil, !ProfileText.isPerturbed(self), let departure = outcome?.departure,
      departure > 0
    else { return nil }
    return Int64((Double(report.window.makespan) / departure).rounded())
  }
}
