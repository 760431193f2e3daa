// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Machine
package import Results

/// One run's identity and what the machine was like: settled before anything is measured.
package struct RunSession: Sendable {
  /// What all rows have in common.
  package let identity: RunIdentity
  /// Which code this program is.
  package let code: CodeIdentity
  /// The suite that was asked for, or its file; nil when none was.
  package var suite: String?
  private let probe: EnvironmentProbe
  private let description: String?
  private let version: String

  /// Looks at the code's repository and at the machine; the latter for less than 0.5 s, in which
  /// nothing else may run.
  ///
  /// - Parameters:
  ///   - start: when the run begins.
  ///   - version: version of the suite.
  ///   - folders: where the measured code may lie, the likeliest first; it is taken to belong to
  ///     the first package at or above one of them.
  package init(start: RunStart, version: String, folders: [String]) throws(EnvironmentError) {
    let repository = Repository(folder: PackageFolder.nearest(to: folders) ?? ".")
    description = repository.description
    self.version = version
    probe = EnvironmentProbe()
    let columns = probe.columns(
      .init(runID: start.id.text, harnessVersion: version, gitDescribe: description))
    code = CodeIdentity(repository, executable: ExecutablePath.running)
    identity = RunIdentity(
      time: start.time, runID: start.id,
      machineID: MachineID(of: try EnvironmentRecord(columns.map { ($0.column, $0.value) })))
  }

  /// The machine's description after the run.
  package func environment(after record: RunRecord) throws(EnvironmentError) -> EnvironmentRecord {
    let outcomes = record.processes.joined().joined().map(\.outcome)
    return try environment(
      allocatorProof: outcomes.lazy.compactMap(\.allocatorProof).first,
      jemallocEpochNanoseconds: outcomes.lazy.compactMap(\.jemallocEpochNanoseconds).first)
  }

  /// The machine's description after the comparison.
  package func environment(
    after record: ComparisonRecord
  ) throws(EnvironmentError) -> EnvironmentRecord {
    try environment(
      allocatorProof: record.allocatorProof,
      jemallocEpochNanoseconds: record.jemallocEpochNanoseconds)
  }

  private func environment(
    allocatorProof: String?, jemallocEpochNanoseconds: Int64?
  ) throws(EnvironmentError) -> EnvironmentRecord {
    let columns = probe.columns(
      .init(
        runID: identity.runID.text, harnessVersion: version, allocatorProof: allocatorProof,
        jemallocEpochNanoseconds: jemallocEpochNanoseconds, gitDescribe: description,
        suite: suite))
    return try EnvironmentRecord(columns.map { ($0.column, $0.value) })
  }

  /// What disturbed the run, a few words each; empty when nothing that `doctor` would name did.
  package var disturbances: [String] { probe.disturbances() }
}

/// When a run begins, and its name.
package struct RunStart: Sendable {
  /// The moment, in whole seconds.
  package let time: Timestamp
  /// A fresh name.
  package let id: RunID

  /// A run that starts now by the machine's clock.
  package static func now() throws(ClockError) -> RunStart {
    var now = timespec()
    // SAFETY: the variable lives through the call.
    _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
    return try RunStart(
      unixSeconds: Int64(now.tv_sec), milliseconds: Int64(now.tv_nsec) / 1_000_000)
  }

  /// A run that starts at that moment; refuses one that no result could carry.
  package init(unixSeconds: Int64, milliseconds: Int64 = 0) throws(ClockError) {
    guard Timestamp.exists(unixSeconds: unixSeconds) else {
      throw ClockError(unixSeconds: unixSeconds)
    }
    time = Timestamp(unixSeconds: unixSeconds)
    id = RunID(unixMilliseconds: unixSeconds * 1000 + milliseconds)
  }
}

/// The machine's clock shows a time that no result could carry: before 1970, or after 9999.
package struct ClockError: Error, Equatable {
  /// Seconds since the start of 1970.
  package let unixSeconds: Int64
}
