// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Measurement
internal import Results
internal import Revisions

extension CommandLineTool {
  /// `bench compare` of two builds: of a revision with this one, or of two executables.
  func compareBuilds(_ request: CompareRequest) throws(ToolFailure) -> ExitCode {
    let flags = Set<QualityFlag>.ofThisBuild
    if !request.run.dryRun { try BuildFlavor.refuse(unless: request.run.allowDebug, flags: flags) }
    // A mistake in the command line shows before minutes of building.
    let draft = try comparisonPlan(request, builds: [.own, .own])
    guard !request.run.dryRun else {
      try console.out(ComparisonPlanText(plan: draft).text)
      return .success
    }
    let interrupt = try Self.interrupt()
    var builds: [MeasuredProgram]
    var notes: [PlanNote] = []
    if let base = request.base {
      let built = try revision(
        base, option: OptionName.base.flag, buildOptions: request.buildOptions,
        isQuiet: request.run.quiet, interrupt: interrupt)
      builds = [built.program, .own]
      notes = built.notes
    } else {
      builds = []
      for path in request.binaries { builds.append(try Self.program(path)) }
    }
    var plan = try comparisonPlan(request, builds: builds)
    plan.seed = draft.seed
    plan.notes += notes
    return try compare(
      try surveyed(plan, builds, request: request.run, interrupt: interrupt), request: request.run)
  }

  /// The build of a revision of the package of this program, and what to know about it.
  ///
  /// - Parameters:
  ///   - revision: anything that `git rev-parse` takes.
  ///   - option: what named it, for messages.
  ///   - buildOptions: what `swift build` is told beside the product.
  func revision(
    _ revision: String, option: String, buildOptions: [String], isQuiet: Bool,
    interrupt: InterruptFlag
  ) throws(ToolFailure) -> (program: MeasuredProgram, notes: [PlanNote]) {
    do throws(RevisionFailure) {
      let builder = RevisionBuilder(
        try MeasuredPackage.running(folders: folders), options: buildOptions, interrupt: interrupt,
        observe: { event in if !isQuiet { console.say("bench: \(event.text)") } })
      let built = try builder.build(revision)
      let notes: [PlanNote] =
        built.localDependencies.isEmpty
        ? [] : [.localDependencies(program: revision, folders: built.localDependencies)]
      return (
        MeasuredProgram(name: revision, executable: built.executable, code: built.code), notes
      )
    } catch { throw ToolFailure(error, option: option) }
  }

  /// An executable that the user names.
  private static func program(_ path: String) throws(ToolFailure) -> MeasuredProgram {
    do throws(FileError) {
      return MeasuredProgram(
        name: path, executable: path,
        code: CodeIdentity(binary: CodeIdentity.hash(ofBinary: try File.read(path))))
    } catch { throw ToolFailure(reading: error) }
  }

  /// The plan without what a build lacks.
  ///
  /// - Throws: 69 when nothing is left for the verb.
  func surveyed(
    _ plan: ComparisonPlan, _ builds: [MeasuredProgram], for verb: Verb = .compare,
    request: RunRequest, interrupt: InterruptFlag
  ) throws(ToolFailure) -> ComparisonPlan {
    let survey = ProgramSurvey(builds, interrupt: interrupt, changing: changes(for: request))
    var (fitted, identities) = (plan, [ProgramSurvey.Identity]())
    do throws(ProgramSurvey.Refusal) { (fitted, identities) = try survey.fit(plan) } catch {
      throw ToolFailure(error)
    }
    guard !fitted.groups.isEmpty else {
      throw ToolFailure(
        .nothingMatched, place: verb.rawValue,
        finding: "the builds have nothing in common of what was asked for: "
          + fitted.notes.map(\.text).joined(separator: "; "),
        expectation: "a workload and a scheduler that both have",
        nextStep: "`bench list` shows those of this build")
    }
    for found in identities {
      var flags: Set<QualityFlag> = found.identity.optimization == "-O" ? [] : [.debug]
      if found.identity.sanitizer != "none" { flags.insert(.sanitized) }
      try BuildFlavor.refuse(found.program.name, unless: request.allowDebug, flags: flags)
      let toolchain = "Swift \(found.identity.swiftVersion)"
      let own = "Swift \(BuildFacts.swiftVersion)"
      guard toolchain != own else { continue }
      fitted.notes.append(
        .otherToolchain(program: found.program.name, toolchain: toolchain, own: own))
    }
    return fitted
  }

  /// What the environment of another build's own run lacks or has, `KEY` or `KEY=VALUE`: variables
  /// that stand for options of this build would be taken for options of its own, or refused; that a
  /// debug build is wanted holds for it as well.
  func changes(for request: RunRequest) -> [String] {
    let consent = OptionName.allowDebug.environmentVariable
    let own = OptionName.allCases.map(\.environmentVariable)
    return own.filter { $0 != consent && environment[$0] != nil }
      + (request.allowDebug ? ["\(consent)=1"] : [])
  }
}

extension ToolFailure {
  /// A build that cannot be measured at all.
  fileprivate init(_ refusal: ProgramSurvey.Refusal) {
    guard refusal.failure != .interrupted else {
      self.init(
        .interrupted, place: refusal.program.name, finding: "interrupted before the first pair",
        expectation: "", nextStep: "nothing is written")
      return
    }
    self.init(
      .malformedInput, place: refusal.program.executable,
      finding: "cannot be measured: \(refusal.failure)",
      expectation: "an executable of this package, or of one like it",
      nextStep: "try it alone: `\(refusal.program.executable) --version`")
  }
}
