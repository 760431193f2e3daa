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

  /// What to know beside the line at the head of the report; nil when that says it all.
  var note: String? {
    switch standing {
    case .valid: nil
    case .none, .old, .foreign:
      "Nothing is left out as too noisy, since no certificate that is valid here says what is."
    case .unreadable(let why):
      "Nothing is left out as too noisy, since the certificate cannot be read: \(why)."
    }
  }

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
