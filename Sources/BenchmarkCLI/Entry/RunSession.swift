// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Harness
package import Results

/// One run's identity and the place of its files, settled before anything is measured.
struct RunSession {
  /// What all rows have in common.
  let identity: RunIdentity
  /// Where the files go.
  let place: ResultsPlace
  private let facts: MachineFacts

  /// Settles both, and refuses a place that cannot be written.
  init(request: RunRequest, plan: MeasurementPlan, environment: [String: String])
    throws(ToolFailure)
  {
    var now = timespec()
    // SAFETY: the variable lives through the call.
    _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
    let run = RunID(unixMilliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    let folders = [ExecutablePath.folder, environment["PWD"]].compactMap(\.self)
    if let output = request.output {
      place = ResultsPlace(output: output, overwrites: request.force)
      try place.prepare(makesFolder: false)
    } else {
      place = ResultsPlace(
        resultsFolder: ResultsPlace.resultsFolder(lookingUpFrom: folders), run: run)
      try place.prepare(makesFolder: true)
    }
    facts = MachineFacts(run: run)
    let record = try facts.record()
    let package = folders.lazy.compactMap {
      ResultsPlace.packageFolder(above: $0, where: { _ in true })
    }.first
    let repository = Repository(folder: package ?? ".")
    identity = RunIdentity(
      time: Timestamp(unixSeconds: Int64(now.tv_sec)), runID: run, commit: repository.commit,
      branch: repository.branch, isDirty: repository.isDirty, machineID: MachineID(of: record))
  }

  /// The machine's description after the run.
  func finalEnvironment(_ record: RunRecord) throws(ToolFailure) -> EnvironmentRecord {
    let proofs = record.processes.joined().joined().compactMap(\.outcome.allocatorProof)
    return try facts.finalRecord(allocatorProof: proofs.first)
  }
}
