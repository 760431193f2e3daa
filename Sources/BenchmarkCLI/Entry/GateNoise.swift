// SPDX-License-Identifier: Apache-2.0

internal import Gate
internal import Results

/// What the machine's certificate says about a gate.
struct GateNoise {
  let standing: CertificateStanding

  /// Why a workload is not judged; nil when it is.
  func exclusion(of workload: String, scheduler: String) -> GateExclusion? {
    let known = standing.certificate?.workload(workload, scheduler: scheduler, pairing: .lockStep)
    return known.flatMap { $0.isNoisy ? .tooNoisy(detectable: $0.detectable) : nil }
  }

  /// What to know about it, in a sentence.
  var note: String {
    switch standing {
    case .valid(let certificate):
      return "Too noisy is what the certificate of \(certificate.time.text) says is."
    case .none:
      return "This machine has no certificate, so nothing is left out as too noisy; "
        + Self.nextStep
    case .old(let certificate):
      return "The certificate of this machine is of \(certificate.time.text), older than "
        + "\(Certificate.validDays) days, so nothing is left out as too noisy; \(Self.nextStep)"
    case .foreign(let certificate):
      return "The certificate here is of another machine, \(certificate.machineID.text), so "
        + "nothing is left out as too noisy; \(Self.nextStep)"
    case .unreadable(let why):
      return "The certificate of this machine cannot be read (\(why)), so nothing is left out as "
        + "too noisy."
    }
  }

  private static let nextStep = "`bench selftest` makes one."

  /// Refuses a machine whose own test says that its figures mean nothing.
  ///
  /// - Throws: 3 when something does not hold that must.
  func check(place: String) throws(ToolFailure) {
    guard let broken = standing.certificate?.proofs.first(where: { !$0.holds }) else { return }
    throw ToolFailure(
      .inconclusive, place: place,
      finding: "NOT JUDGED: the proof \(broken.name) does not hold on this machine: "
        + broken.evidence,
      expectation: "a machine on which every proof holds",
      nextStep: "mend that, then make a new certificate with `bench selftest`")
  }
}
