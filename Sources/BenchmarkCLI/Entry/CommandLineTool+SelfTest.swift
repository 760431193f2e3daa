// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Certification
internal import Harness
internal import Measurement
internal import Results

extension CommandLineTool {
  /// `bench selftest`: tests the machine, and stores and shows its certificate.
  func selfTest(_ request: SelfTestRequest) throws(ToolFailure) -> ExitCode {
    let flags = Set<QualityFlag>.ofThisBuild
    if !request.dryRun { try BuildFlavor.refuse(unless: request.allowDebug, flags: flags) }
    let plan: SelfTestPlan
    var entropy = SystemRandomNumberGenerator()
    let seed = request.seed ?? entropy.next(upperBound: UInt64(1_000_000))
    do throws(PlanError) {
      plan = try SelfTestPlan(
        suite: suite, isFull: request.isFull, budget: request.budget, seed: seed,
        cpuCount: Int(shim_usable_cpus()))
    } catch { throw ToolFailure(error) }
    guard !request.dryRun else {
      try console.out(ComparisonPlanText(plan: plan.comparison).text)
      try console.out(
        "with the other probes about \(UnitFormatter.text(plan.seconds * 1e9, unit: "ns"))\n")
      return .success
    }
    do throws(Obstacle) { try Obstacle.check(plan.comparison) } catch { throw ToolFailure(error) }
    let session = try session(Self.start())
    let path = Certificate.path(
      resultsFolder: PackageFolder.results(lookingUpFrom: folders),
      machine: session.identity.machineID)
    do throws(FileError) {
      try File.makeDirectories(File.directory(of: path))
      try AtomicFile.rehearse(path, overwrite: true)
    } catch { throw ToolFailure(writing: error) }
    let interrupt = try Self.interrupt()
    guard let certificate = try certificate(plan, session, request, interrupt) else {
      console.say("bench: interrupted; the certificate that there was stays")
      return .interrupted
    }
    do throws(FileError) {
      try AtomicFile.write(certificate.csv, to: path, overwrite: true)
    } catch { throw ToolFailure(writing: error) }
    let text = CertificateText(certificate)
    try console.out(request.isJSON ? text.json : text.text(style: style(request.color)))
    if !request.quiet { console.say("bench: certificate in \(path)") }
    return certificate.canGate ? .success : .findings
  }

  /// What the test finds, with a progress line; nil when the user ends it.
  private func certificate(
    _ plan: SelfTestPlan, _ session: RunSession, _ request: SelfTestRequest,
    _ interrupt: InterruptFlag
  ) throws(ToolFailure) -> Certificate? {
    let isOn =
      console.talkIsTerminal && request.showsProgress && !request.quiet
      && environment["TERM"] != "dumb"
    var progress = ProgressLine(isOn: isOn, write: console.talk)
    defer { progress.clear() }
    let test = SelfTest(
      plan: plan, subject: .init(identity: session.identity, code: session.code),
      instruments: SelfTestInstruments(ChildRunner(interrupt: interrupt), interrupt: interrupt),
      observe: { event in
        switch event {
        case .probing(let what): progress.show("probing: \(what)")
        case .comparing(let step):
          if let text = ProgressLine.text(for: step, plan: plan.comparison) { progress.show(text) }
        }
      })
    do throws(MeasurementFailure) { return try test.run() } catch .interrupted { return nil } catch
    {
      throw ToolFailure(
        .internalFault, place: "selftest", finding: "\(error)",
        expectation: "children that can be started", nextStep: "see `bench doctor`")
    }
  }

  /// A report's context with what there is by way of a certificate of the machine of these rows.
  func certified(_ context: ReportContext, _ rows: [ResultRow]) -> ReportContext {
    guard let run = rows.first?.run else { return context }
    var certified = context
    certified.certificate = certificate(of: run.machineID)
    return certified
  }

  /// What there is by way of a certificate of a machine, in one line; nil when nobody knows the
  /// time.
  func certificate(of machine: MachineID) -> String? {
    guard let now = try? RunStart.now().time else { return nil }
    return CertificateText.line(
      Certificate.standing(
        resultsFolder: PackageFolder.results(lookingUpFrom: folders), machine: machine, at: now))
  }
}
