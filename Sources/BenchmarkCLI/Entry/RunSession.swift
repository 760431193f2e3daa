// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
internal import Results

/// One run's identity and the place of its files, settled before anything is measured.
struct RunSession {
  /// What all rows have in common.
  let identity: RunIdentity
  /// Where the files go; nil when the figures go to standard output instead.
  let place: ResultsPlace?
  private let probe: EnvironmentProbe
  private let description: String?

  /// Settles both, and refuses a place that cannot be written.
  init(request: RunRequest, environment: [String: String]) throws(ToolFailure) {
    var now = timespec()
    // SAFETY: the variable lives through the call.
    _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
    try Self.check(unixSeconds: Int64(now.tv_sec))
    let run = RunID(unixMilliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    let folders = [ExecutablePath.folder, environment["PWD"]].compactMap(\.self)
    if request.outputIsStandard {
      place = nil
    } else if let output = request.output {
      place = ResultsPlace(output: output, overwrites: request.force)
      try place?.prepare(makesFolder: false)
    } else {
      place = ResultsPlace(
        resultsFolder: ResultsPlace.resultsFolder(lookingUpFrom: folders), run: run)
      try place?.prepare(makesFolder: true)
    }
    let package = folders.lazy.compactMap {
      ResultsPlace.packageFolder(above: $0, where: { _ in true })
    }.first
    let repository = Repository(folder: package ?? ".")
    description = repository.description
    // Last, since it measures: nothing else may run meanwhile.
    probe = EnvironmentProbe()
    let columns = probe.columns(
      .init(runID: run.text, harnessVersion: CommandLineTool.version, gitDescribe: description))
    identity = RunIdentity(
      time: Timestamp(unixSeconds: Int64(now.tv_sec)), runID: run, commit: repository.commit,
      branch: repository.branch, isDirty: repository.isDirty,
      machineID: MachineID(of: try Self.environment(columns)))
  }

  /// Refuses a clock whose time no result could carry.
  static func check(unixSeconds: Int64) throws(ToolFailure) {
    guard !Timestamp.exists(unixSeconds: unixSeconds) else { return }
    throw ToolFailure(
      .internalFault, place: "clock",
      finding: "this machine says that it is \(unixSeconds) s after the start of 1970",
      expectation: "a moment from 1970 to 9999", nextStep: "set it, for instance with `date --set`")
  }

  /// The machine's description after the run.
  func environment(after record: RunRecord) throws(ToolFailure) -> EnvironmentRecord {
    let outcomes = record.processes.joined().joined().map(\.outcome)
    return try Self.environment(
      probe.columns(
        .init(
          runID: identity.runID.text, harnessVersion: CommandLineTool.version,
          allocatorProof: outcomes.lazy.compactMap(\.allocatorProof).first,
          jemallocEpochNanoseconds: outcomes.lazy.compactMap(\.jemallocEpochNanoseconds).first,
          gitDescribe: description)))
  }

  /// What disturbed the run, in one line; nil when nothing that `doctor` would name did.
  var disturbance: String? {
    let disturbances = probe.disturbances()
    guard !disturbances.isEmpty else { return nil }
    return "the machine was busy: \(disturbances.joined(separator: ", ")); see `bench doctor`."
  }

  private static func environment(_ columns: [(column: String, value: String)])
    throws(ToolFailure) -> EnvironmentRecord
  {
    do throws(EnvironmentError) {
      return try EnvironmentRecord(columns.map { ($0.column, $0.value) })
    } catch {
      throw ToolFailure(.internalFault, place: "environment file", finding: "\(error)")
    }
  }
}
