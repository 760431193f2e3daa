// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Measurement
internal import Results

/// Where `bench history` measures commits against each other; tests have one of their own.
struct HistoryLaboratory {
  /// The machine that measures.
  let machine: MachineID
  /// Measures a base and a candidate, each a commit, in pairs.
  let measure:
    (_ base: String, _ candidate: String, _ request: CompareRequest) throws(ToolFailure) ->
      PairedAnalysis
}

extension CommandLineTool {
  /// The laboratory given, else this machine, with builds of revisions of this package.
  func laboratory(_ given: HistoryLaboratory?, _ request: HistoryRequest) throws(ToolFailure)
    -> HistoryLaboratory
  {
    if let given { return given }
    let compare = request.compare
    try BuildFlavor.refuse(unless: compare.run.allowDebug, flags: Set<QualityFlag>.ofThisBuild)
    let machine = try session(Self.start()).identity.machineID
    let interrupt = try Self.interrupt()
    return HistoryLaboratory(machine: machine) {
      (base: String, candidate: String, compare: CompareRequest) throws(ToolFailure) in
      try measured(base, candidate, compare, interrupt: interrupt)
    }
  }

  /// Builds both commits, where they are not there yet, measures them, and keeps the rows.
  private func measured(
    _ base: String, _ candidate: String, _ request: CompareRequest, interrupt: InterruptFlag
  ) throws(ToolFailure) -> PairedAnalysis {
    var programs: [MeasuredProgram] = []
    var notes: [PlanNote] = []
    for commit in [base, candidate] {
      let built = try revision(
        commit, option: "history", buildOptions: request.buildOptions, isQuiet: request.run.quiet,
        interrupt: interrupt)
      programs.append(built.program)
      notes += built.notes
    }
    var plan = try comparisonPlan(request, builds: programs)
    plan.notes += notes
    plan = try surveyed(plan, programs, request: request.run, interrupt: interrupt)
    do throws(Obstacle) { try Obstacle.check(plan) } catch { throw ToolFailure(error) }
    let start = try Self.start()
    let place = ResultsPlace(
      resultsFolder: PackageFolder.results(lookingUpFrom: folders), run: start.id)
    try place.prepare(makesFolder: true)
    let session = try session(start)
    if !request.run.quiet {
      console.say("bench: seed \(plan.seed), \(ComparisonPlanText(plan: plan).summary)")
      for note in plan.notes { console.say("bench: \(note.text)") }
    }
    let record = measure(plan, request: request.run, interrupt: interrupt)
    guard !record.wasInterrupted, !record.isEmpty else {
      throw ToolFailure(
        record.wasInterrupted ? .interrupted : .usage, place: "history",
        finding: "\(record.wasInterrupted ? "interrupted" : "the budget ended") after "
          + "\(record.pairCount) pairs",
        expectation: "time for all of them", nextStep: "nothing is kept; start again")
    }
    let writer = RowWriter(session, allocator: plan.allocator, buildFlags: .ofThisBuild)
    let analysis = PairedAnalysis(rows: writer.rows(record), roster: Roster(suite))
    do throws(EnvironmentError) {
      let environment = try session.environment(after: record).csv()
      do throws(ToolFailure) {
        try place.write(rows: CSV.encode(analysis.rows), environment: environment)
      } catch {
        // What was measured is the answer all the same: it took minutes to get.
        console.say("bench: \(error)")
      }
    } catch { throw ToolFailure(error) }
    return analysis
  }
}
