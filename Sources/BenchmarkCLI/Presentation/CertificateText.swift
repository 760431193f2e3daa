// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Statistics

/// How a certificate is shown.
struct CertificateText {
  let certificate: Certificate

  init(_ certificate: Certificate) { self.certificate = certificate }

  /// What there is by way of a certificate, at the head of a report.
  static func line(_ standing: CertificateStanding) -> String {
    let remedy = "run bench selftest"
    switch standing {
    case .none: return "no certificate: \(remedy)"
    case .valid(let certificate):
      let proofs = certificate.proofs.filter { !$0.holds }.map(\.name)
      return "certificate of \(day(certificate))"
        + (proofs.isEmpty ? "" : ": does not hold: " + proofs.joined(separator: ", "))
    case .old(let certificate):
      return "certificate of \(day(certificate)), older than \(Certificate.validDays) days: "
        + remedy
    case .foreign(let certificate):
      return "no certificate: the one here is of \(certificate.machineID.text): \(remedy)"
    case .unreadable: return "no certificate that can be read: \(remedy)"
    }
  }

  private static func day(_ certificate: Certificate) -> String {
    String(certificate.time.text.prefix { $0 != "T" })
  }

  /// For a terminal; ends with a newline.
  func text(style: TerminalStyle) -> String {
    var lines = HelpText.wrap(headline, width: HelpText.width).map { style.paint($0, .strong) }
    lines += [""] + costs.flatMap { HelpText.entry(left: $0.name, summary: $0.text) } + [""]
    for proof in certificate.proofs {
      let word = proof.holds ? "holds" : style.paint("DOES NOT HOLD", .bad)
      lines += HelpText.entry(left: proof.name, summary: "\(word): \(proof.evidence)")
    }
    lines += [""] + table.lines(style: style) + [""]
    lines += legend.flatMap { HelpText.wrap($0, width: HelpText.width) }.map {
      style.paint($0, .faint)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The same for a program: one object.
  var json: String {
    JSONValue.object([
      ("time", .string(certificate.time.text)),
      ("machine_id", .string(certificate.machineID.text)),
      ("commit", certificate.commit.map(JSONValue.string) ?? .null),
      ("toolchain", .string(certificate.toolchain)),
      ("clock_cost_ns", .number(certificate.clockCostNanoseconds)),
      ("clock_step_ns", .number(certificate.clockStepNanoseconds)),
      ("empty_bench_ns", .number(certificate.emptyBenchNanoseconds)),
      ("wakeup_cost_ns", certificate.wakeUpNanoseconds.map(JSONValue.number) ?? .null),
      ("can_gate", .literal("\(certificate.canGate)")),
      (
        "proofs",
        .array(
          certificate.proofs.map { proof in
            .object([
              ("name", .string(proof.name)), ("holds", .literal("\(proof.holds)")),
              ("evidence", .string(proof.evidence)),
            ])
          })
      ),
      (
        "alarms",
        certificate.alarms.map { alarms in
          .object([
            ("comparisons", .integer(alarms.comparisons)),
            ("below_5_percent", .integer(alarms.belowFivePercent)),
            ("verdicts", .integer(alarms.verdicts)),
          ])
        } ?? .null
      ),
      (
        "workloads",
        .array(
          certificate.workloads.map { workload in
            .object([
              ("benchmark", .string(workload.benchmark)),
              ("params", .string(workload.params.text)),
              ("scheduler", .string(workload.scheduler)),
              ("pairing", .string(workload.pairing.rawValue)),
              ("pairs", .integer(workload.pairs)), ("detectable", .number(workload.detectable)),
              ("noisy", .literal("\(workload.isNoisy)")),
            ])
          })
      ),
    ]).document
  }

  private var headline: String {
    let broken = certificate.proofs.filter { !$0.holds }.map(\.name)
    let noisy = certificate.workloads.count(where: \.isNoisy)
    let verdict =
      broken.isEmpty
      ? "This machine can measure" : "This machine cannot gate: \(broken.joined(separator: ", "))"
    return "\(verdict); \(noisy) of \(certificate.workloads.count) workloads are too noisy to gate."
  }

  private var costs: [(name: String, text: String)] {
    func time(_ nanoseconds: Double) -> String { UnitFormatter.text(nanoseconds, unit: "ns") }
    let wakeUp = certificate.wakeUpNanoseconds.map(time) ?? "no second thread"
    return [
      (
        "clock",
        "\(time(certificate.clockCostNanoseconds)) a read, in steps of "
          + time(certificate.clockStepNanoseconds)
      ),
      ("empty benchmark", time(certificate.emptyBenchNanoseconds)), ("wake-up", wakeUp),
    ]
  }

  private var table: TextTable {
    var table = TextTable(columns: [
      ("workload", .left), ("scheduler", .left), ("pairs", .right), ("seen from", .right),
      ("", .left),
    ])
    table.rows = certificate.workloads.map { workload in
      [
        .init("\(workload.benchmark)"), .init(workload.scheduler), .init("\(workload.pairs)"),
        .init(UnitFormatter.percent(workload.detectable)),
        workload.isNoisy ? .init("too noisy", .doubtful) : "",
      ]
    }
    return table
  }

  private var legend: [String] {
    var lines = [
      "seen from: the slow-down that \(Certificate.pairs) pairs find in four of five tests at 5 %; "
        + "above \(UnitFormatter.percent(Certificate.Pairing.lockStep.mostDetectable)) a workload "
        + "is too noisy to gate."
    ]
    if let alarms = certificate.alarms {
      lines.append(
        "Equal sides, \(alarms.comparisons) comparisons from these pairs with sides exchanged at "
          + "random: \(Self.rate(alarms.belowFivePercent, of: alarms.comparisons)) have p below "
          + "0.05, \(Self.rate(alarms.verdicts, of: alarms.comparisons)) are called slower or "
          + "faster.")
    }
    return lines
  }

  /// `5.1 % (4.8 to 5.4 %)`.
  private static func rate(_ count: Int, of cases: Int) -> String {
    let rate = BinomialRate(successes: count, cases: cases)
    func percent(_ fraction: Double) -> String { UnitFormatter.fixed(fraction * 100, digits: 2) }
    return "\(percent(rate.rate)) % (\(percent(rate.interval.low)) to "
      + "\(percent(rate.interval.high)) %)"
  }
}
