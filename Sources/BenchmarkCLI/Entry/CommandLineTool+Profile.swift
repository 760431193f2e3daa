// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Harness
internal import Measurement
internal import Results
internal import Statistics
internal import TracePages
internal import Traces

/// One scheduler's profile of the program.
struct Profile {
  let scheduler: String
  /// The runs without and with the recording; nil for a recording that was there before.
  let outcome: ProfiledRun.Outcome?
  let trace: Trace
  let report: TraceReport
  /// What was found on stacks in runs of their own.
  var stacks: [StackProfiler: StackProfile] = [:]
  /// How the projection from one worker met what two took; nil where nobody looked.
  var projectionCheck: ProjectionCheck?

  /// What recording did to the run.
  var perturbation: PairedRatio? { outcome?.perturbation }
}

extension CommandLineTool {
  /// `bench profile`: records a run on one scheduler or two, and says why it took what it took.
  func profile(_ request: ProfileRequest) throws(ToolFailure) -> ExitCode {
    let files = ProfileFiles(request, environment: environment)
    if let path = request.recording { return try show(recording: path, request, files) }
    try BuildFlavor.refuse(unless: request.run.allowDebug, flags: Set<QualityFlag>.ofThisBuild)
    if request.readsThreadTimes, let refusal = ThreadTimes.refusal() {
      throw ToolFailure(
        .missing, place: OptionName.sched.flag, finding: refusal.finding,
        expectation: refusal.expectation, nextStep: refusal.remedy)
    }
    try Self.refuse(request.profilers)
    let plan = try profilePlan(request)
    try files.prepare()
    let interrupt = try Self.interrupt()
    let isWanted = ProgressLine.isWanted(
      request: request.run, environment: environment, isTerminal: console.talkIsTerminal)
    var progress = ProgressLine(isOn: isWanted, write: console.talk)
    defer { progress.clear() }
    let clock = ContinuousClock()
    var begun = clock.now
    func showProgress(_ pair: Int, of subject: String) {
      // A recording whose rings were too small begins anew.
      if pair == 0 { begun = clock.now }
      progress.show(
        ProgressLine.text(
          for: subject, pair: pair, of: ProfiledRun.pairs, elapsed: begun.duration(to: clock.now)))
    }
    var profiles: [Profile] = []
    for (place, name) in request.schedulers.enumerated() {
      guard
        let contestant = plan.groups[0].contestants.firstIndex(where: { $0.name == name })
      else { continue }
      var assignment = plan.assignment(
        round: 0, group: 0, contestant: contestant, timeBudgetNanoseconds: 0)
      // Tasks of a graph are shown by their names.
      if case .graph = assignment.subject { assignment.extra["names"] = "tasks" }
      let path = files.recording(place)
      defer { if !files.keeps(place) { File.remove(path) } }
      let made: Result<Profile, ToolFailure>
      var check: ProjectionCheck?
      var stacks: [StackProfiler: StackProfile] = [:]
      do throws(MeasurementFailure) {
        let run = ProfiledRun(runner: ChildRunner(interrupt: interrupt))
        made = try record(assignment, name, path, request, plan, run) { pair in
          showProgress(pair, of: name)
        }
        if case .success(let profile) = made {
          check = try projectionCheck(of: profile, assignment, request, plan, files, run) { pair in
            showProgress(pair, of: "\(name) on 2 workers")
          }
        }
        for profiler in request.profilers {
          progress.show("\(name), \(profiler.rawValue)")
          stacks[profiler] = try files.withScratch { folder throws(MeasurementFailure) in
            try profiler.profile(
              assignment, runner: ChildRunner(interrupt: interrupt), folder: folder,
              deadline: plan.childDeadline * 4)
          }
        }
      } catch .interrupted {
        progress.clear()
        console.say("bench: interrupted before the recording was complete; nothing is written")
        return .interrupted
      } catch {
        throw ToolFailure(.findings, place: name, finding: "\(error)")
      }
      var profile = try made.get()
      profile.stacks = stacks
      profile.projectionCheck = check
      profiles.append(profile)
    }
    progress.clear()
    try show(
      ProfileText(
        profiles, benchmark: plan.groups[0].benchmark,
        parameters: plan.groups[0].rowParameters(of: plan.groups[0].contestants[0]).text),
      request, files)
    return .success
  }

  /// Refuses, before anything runs, what this machine does not let us look into.
  private static func refuse(_ profilers: [StackProfiler]) throws(ToolFailure) {
    for profiler in profilers {
      guard let refusal = profiler.refusal() else { continue }
      throw ToolFailure(
        .missing,
        place: (profiler == .heap ? OptionName.heap : .perf).flag, finding: refusal.finding,
        expectation: refusal.expectation, nextStep: refusal.remedy)
    }
  }

  /// A recording that is there: of a program of the user, or of an earlier profile.
  private func show(
    recording path: String, _ request: ProfileRequest, _ files: ProfileFiles
  ) throws(ToolFailure) -> ExitCode {
    try files.prepare()
    let trace: Trace
    do throws(TraceFileError) { trace = try TraceFile.read(path) } catch {
      throw ToolFailure(error)
    }
    let header = trace.header
    let profile = Profile(
      scheduler: header.scheduler.isEmpty ? "a scheduler without a name" : header.scheduler,
      outcome: nil, trace: trace, report: ProfileText.report(trace, nil))
    try show(
      ProfileText(
        [profile], benchmark: header.workload.isEmpty ? path : header.workload,
        parameters: header.parameters),
      request, files)
    return .success
  }

  /// Writes the files, then the answer.
  private func show(
    _ text: ProfileText, _ request: ProfileRequest, _ files: ProfileFiles
  ) throws(ToolFailure) {
    let written = try files.write(text, environment: environment, console: console)
    try console.out(
      request.run.format == .json ? text.json : text.text(style: style(request.run.color)))
    if !request.run.quiet { for path in written { console.say("bench: \(path)") } }
  }

  /// The one point that is profiled.
  private func profilePlan(_ request: ProfileRequest) throws(ToolFailure) -> MeasurementPlan {
    let plan: MeasurementPlan
    do throws(PlanError) {
      var measurement = request.run.measurement
      measurement.graphs = try GraphSummary.read(request.run.graphPaths)
      var entropy = SystemRandomNumberGenerator()
      plan = try Planner(suite: suite, request: measurement, cpuCount: Int(shim_usable_cpus()))
        .plan(freshSeed: entropy.next(upperBound: UInt64(1_000_000)))
    } catch { throw ToolFailure(error) }
    if !request.run.quiet {
      for note in plan.notes { console.say("bench: \(note.text)") }
    }
    let points = plan.groups.count
    guard points == 1, plan.groups[0].contestants.count == request.schedulers.count else {
      throw .usage(
        "profile",
        points == 1
          ? "\(plan.groups[0].contestants.count) settings of schedulers are asked for"
          : "\(points) points are asked for",
        expected: "one point and one setting of each scheduler",
        next: "name one value for each axis, knob and --workers; a scheduler with a fixed count of "
          + "workers is profiled with --workers of that count")
    }
    return plan
  }

  /// Records a scheduler's run, again with larger rings where the first ones were too small.
  func record(
    _ assignment: Assignment, _ name: String, _ path: String, _ request: ProfileRequest,
    _ plan: MeasurementPlan, _ run: ProfiledRun, observe: (Int) -> Void
  ) throws(MeasurementFailure) -> Result<Profile, ToolFailure> {
    var recording = ProfiledRun.Recording(
      detail: request.detail, breakOverNanoseconds: request.breakOverNanoseconds, path: path,
      readsThreadTimes: request.readsThreadTimes)
    while true {
      let outcome = try run.run(
        assignment, recording, deadline: plan.childDeadline * 4, observe: observe)
      let trace: Trace
      do throws(TraceFileError) { trace = try TraceFile.read(path) } catch {
        return .failure(ToolFailure(error))
      }
      let (dropped, needed) = (trace.header.droppedEvents, trace.header.neededRingEvents)
      if dropped > 0, request.breakOverNanoseconds == nil, needed > outcome.ringEvents {
        guard recording.ringEvents == nil else {
          return .failure(
            ToolFailure(
              .findings, place: name,
              finding: "\(dropped) events were overwritten in rings of "
                + "\(outcome.ringEvents) a thread",
              expectation: "rings of \(needed), which hold the whole run",
              nextStep: "profile a smaller size of the program, such as --quick"))
        }
        recording.ringEvents = needed
        continue
      }
      return .success(
        Profile(
          scheduler: name, outcome: outcome, trace: trace,
          report: ProfileText.report(trace, outcome.perturbation)))
    }
  }
}
