// SPDX-License-Identifier: Apache-2.0

/// What `bench selftest` found out about a machine as an instrument.
///
/// A plain value; any thread. The file form is in `Certificate+File.swift`.
package struct Certificate: Sendable, Hashable {
  /// Something that must hold before any figure is believed.
  package struct Proof: Sendable, Hashable {
    /// A name of `isName`.
    package var name: String
    /// Whether it held.
    package var holds: Bool
    /// What was seen, in figures; one line.
    package var evidence: String

    /// A proof; see the properties.
    package init(name: String, holds: Bool, evidence: String) {
      self.name = name
      self.holds = holds
      self.evidence = evidence
    }
  }

  /// How often equal sides were called different, in comparisons re-randomised from stored pairs.
  package struct Alarms: Sendable, Hashable {
    /// Comparisons; at least one.
    package var comparisons: Int
    /// Those whose plain p-value lay below 0.05.
    package var belowFivePercent: Int
    /// Those that ended as slower or faster.
    package var verdicts: Int

    /// Alarms; see the properties.
    package init(comparisons: Int, belowFivePercent: Int, verdicts: Int) {
      self.comparisons = comparisons
      self.belowFivePercent = belowFivePercent
      self.verdicts = verdicts
    }
  }

  /// How fine a difference pairs of one workload show.
  package struct Workload: Sendable, Hashable {
    /// As in a results file.
    package var benchmark: String
    /// As in a results file, workers included.
    package var params: RowParameters
    /// As in a results file.
    package var scheduler: String
    /// How the sides of a pair were measured.
    package var pairing: Pairing
    /// Pairs that were measured.
    package var pairs: Int
    /// The relative slow-down that `Certificate.pairs` pairs find in four of five tests at 5 %.
    package var detectable: Double

    /// A workload; see the properties.
    package init(
      benchmark: String, params: RowParameters, scheduler: String, pairing: Pairing, pairs: Int,
      detectable: Double
    ) {
      self.benchmark = benchmark
      self.params = params
      self.scheduler = scheduler
      self.pairing = pairing
      self.pairs = pairs
      self.detectable = detectable
    }

    /// Whether it shows too little to judge anything by.
    package var isNoisy: Bool { detectable > pairing.mostDetectable }
  }

  /// How the sides of a pair are measured, with the difference that it must show.
  package enum Pairing: String, Sendable, CaseIterable {
    /// In one process, in turns.
    case alternating
    /// In a live process each, in turns.
    case lockStep = "lock-step"

    /// A workload that shows no difference as small as this is noisy.
    package var mostDetectable: Double {
      switch self {
      case .alternating: 0.03
      case .lockStep: 0.05
      }
    }
  }

  /// Pairs to which every `detectable` is reckoned.
  package static let pairs = 40
  /// Days after which a certificate is old.
  package static let validDays = 30

  /// When the test began.
  package var time: Timestamp
  /// The machine that was tested.
  package var machineID: MachineID
  /// The commit of the suite, 40 hexadecimal digits; nil when it was not known.
  package var commit: String?
  /// The compiler that built it; not empty.
  package var toolchain: String
  /// What a read of the clock costs, its smallest step, and what an iteration without work shows.
  package var clockCostNanoseconds, clockStepNanoseconds, emptyBenchNanoseconds: Double
  /// From a wake to the first instruction of the other thread; nil without a second thread.
  package var wakeUpNanoseconds: Double?
  /// In the order in which they were tried.
  package var proofs: [Proof]
  /// Nil when too few pairs were measured.
  package var alarms: Alarms?
  /// In the order in which they were measured.
  package var workloads: [Workload]

  /// A certificate; see the properties.
  package init(
    time: Timestamp, machineID: MachineID, commit: String?, toolchain: String,
    clockCostNanoseconds: Double, clockStepNanoseconds: Double, emptyBenchNanoseconds: Double,
    wakeUpNanoseconds: Double?, proofs: [Proof], alarms: Alarms?, workloads: [Workload]
  ) {
    self.time = time
    self.machineID = machineID
    self.commit = commit
    self.toolchain = toolchain
    self.clockCostNanoseconds = clockCostNanoseconds
    self.clockStepNanoseconds = clockStepNanoseconds
    self.emptyBenchNanoseconds = emptyBenchNanoseconds
    self.wakeUpNanoseconds = wakeUpNanoseconds
    self.proofs = proofs
    self.alarms = alarms
    self.workloads = workloads
  }

  /// Whether everything that must hold did.
  package var canGate: Bool { proofs.allSatisfy(\.holds) }

  /// What is known of a workload: of this scheduler where it was tested, else the worst of those
  /// that were; nil for a workload that was not tested.
  ///
  /// - Parameter pairing: what was measured so speaks alone, where there is any.
  package func workload(
    _ benchmark: String, scheduler: String, pairing: Pairing? = nil
  ) -> Workload? {
    let all = workloads.filter { $0.benchmark == benchmark }
    let paired = all.filter { $0.pairing == pairing }
    let known = paired.isEmpty ? all : paired
    return known.first { $0.scheduler == scheduler }
      ?? known.max { $0.detectable < $1.detectable }
  }

  /// Whole days from the test until `moment`; 0 for a moment before it.
  package func days(at moment: Timestamp) -> Int {
    max(0, Int((moment.unixSeconds - time.unixSeconds) / 86_400))
  }
}

/// What there is by way of a certificate, for a machine at a moment.
package enum CertificateStanding: Sendable, Hashable {
  /// None was ever made here.
  case none
  /// It is of this machine and no older than `Certificate.validDays`.
  case valid(Certificate)
  /// It is of this machine and too old.
  case old(Certificate)
  /// It lies where that of this machine belongs and is of another.
  case foreign(Certificate)
  /// It cannot be read; why.
  case unreadable(String)

  /// The certificate that a gate may go by; nil when there is none that speaks for this machine
  /// now.
  package var certificate: Certificate? {
    if case .valid(let certificate) = self { certificate } else { nil }
  }
}
