// SPDX-License-Identifier: Apache-2.0

package import Harness

/// Finds out what other builds of the program can measure, before anything is measured.
///
/// Starts a child for every group and build: some 30 ms each.
package struct ProgramSurvey {
  /// Why a build cannot be measured at all.
  package struct Refusal: Error {
    /// Whom it is about.
    package let program: MeasuredProgram
    package let failure: MeasurementFailure
  }

  /// Who a build said it is.
  package struct Identity: Sendable {
    package let program: MeasuredProgram
    package let identity: ChildIdentity
  }

  /// Words of a child's failure that mean: this build does not have it.
  private static let lacks: Set<String> = [
    "workload", "scheduler", "knobs", "workers", "reference",
  ]

  private let programs: [MeasuredProgram]
  private let interrupt: InterruptFlag?
  private let changes: [String]

  /// - Parameters:
  ///   - programs: the builds, as the sides of every group.
  ///   - interrupt: ends it.
  ///   - changes: lines `KEY=VALUE` (set) or `KEY` (remove) for builds that cannot be steered.
  package init(
    _ programs: [MeasuredProgram], interrupt: InterruptFlag? = nil, changing changes: [String] = []
  ) {
    self.programs = programs
    self.interrupt = interrupt
    self.changes = changes
  }

  /// The plan without what a build lacks, with a note for each.
  ///
  /// It may be empty then. Where a build
  /// speaks another conversation, it is a plan process by process.
  ///
  /// - Returns: the plan, and who the other builds said they are, if they did.
  package func fit(
    _ plan: ComparisonPlan
  ) throws(Refusal) -> (plan: ComparisonPlan, identities: [Identity]) {
    var fitted = plan
    fitted.groups = []
    var identities: [Identity] = []
    for (index, group) in plan.groups.enumerated() {
      var isThere = true
      for (side, program) in programs.enumerated() where program != .own && isThere {
        do throws(MeasurementFailure) {
          let identity = try prepare(plan, group: index, side: side)
          if !identities.contains(where: { $0.program == program }) {
            identities.append(Identity(program: program, identity: identity))
          }
        } catch {
          switch error {
          case .otherConversation(let version):
            return (try byProcesses(plan, program, version), [])
          case .unavailable(let reason, let detail) where Self.lacks.contains(reason):
            isThere = false
            fitted.notes.append(Self.lack(program, group, detail))
          default:
            // Who got so far is a build of this program; what happens there is for the report.
            guard identities.contains(where: { $0.program == program }) else {
              throw Refusal(program: program, failure: error)
            }
          }
        }
      }
      if isThere { fitted.groups.append(group) }
    }
    return (fitted, identities)
  }

  private static func lack(
    _ program: MeasuredProgram, _ group: ComparisonGroup, _ why: String
  ) -> PlanNote {
    .programLacks(
      program: program.name, benchmark: group.point.benchmark,
      contestant: group.point.contestants[0].label, why: why)
  }

  /// Has a build prepare a side in a child.
  private func prepare(
    _ plan: ComparisonPlan, group: Int, side: Int
  ) throws(MeasurementFailure) -> ChildIdentity {
    let assignment = plan.assignment(
      group: group, side: side, draws: plan.draws(group: group, pair: 0))
    let child = try ChildRunner(
      executable: plan.groups[group].executables[side], interrupt: interrupt
    ).start(
      ChildSetup(allocator: assignment.allocator, cpus: assignment.cpus),
      deadline: plan.childDeadline)
    defer { child.end() }
    try child.awaitReady()
    try child.prepare(assignment)
    return child.identity ?? ChildIdentity()
  }

  /// The same for a build that can only be asked by its command line.
  private func byProcesses(
    _ plan: ComparisonPlan, _ older: MeasuredProgram, _ version: String?
  ) throws(Refusal) -> ComparisonPlan {
    var fitted = plan
    fitted.pairing = .processes
    fitted.notes.append(.otherConversation(program: older.name, version: version))
    fitted.groups = []
    for (index, group) in plan.groups.enumerated() {
      var isThere = true
      for (side, program) in programs.enumerated() where isThere {
        let command = RunCommand(plan, group: index, side: side)
        let outcome = ExternalProgram.run(
          command.words + ["--dry-run"], environment: command.environment + changes,
          interrupt: interrupt)
        if outcome.isInterrupted { throw Refusal(program: program, failure: .interrupted) }
        guard outcome.code != 0 else { continue }
        isThere = false
        fitted.notes.append(Self.lack(program, group, RunCommand.complaint(of: outcome)))
      }
      if isThere { fitted.groups.append(group) }
    }
    return fitted
  }
}
