// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import History
internal import Measurement
internal import Results
internal import Statistics

extension CommandLineTool {
  /// `bench history confirm`: measures the commits around a change against each other.
  ///
  /// Exit code 2 when something is worse for sure, 3 when that remains open.
  func confirm(
    _ request: HistoryRequest, _ all: [HistorySeries], _ laboratory: HistoryLaboratory
  ) throws(ToolFailure) -> ExitCode {
    let changes = try suspicions(request, all, laboratory.machine)
    var verdicts: [Verdict?] = []
    for pair in Self.pairs(of: changes) {
      let compare = try Self.measuring(pair.subjects, request.compare)
      let analysis = try laboratory.measure(pair.before, pair.after, compare)
      try console.out(report(analysis).text(style: style(request.color)))
      verdicts += analysis.results.map(\.verdict)
    }
    let worse = verdicts.count { $0 == .slower }
    let open = verdicts.count { $0 == nil || $0 == .inconclusive }
    let measured = "of \(verdicts.count) suspicion\(verdicts.count == 1 ? "" : "s") measured again"
    try console.out(
      "\n\(worse) \(measured) \(worse == 1 ? "is a regression" : "are regressions")"
        + (open > 0 ? ", \(open) not settled" : "") + "\n")
    return worse > 0 ? .regression : open > 0 ? .inconclusive : .success
  }

  /// The changes at the commit that the user names, or at the latest one that has some, on this
  /// machine.
  private func suspicions(
    _ request: HistoryRequest, _ all: [HistorySeries], _ machine: MachineID
  ) throws(ToolFailure) -> [HistoryChange] {
    var scan = HistoryScan(seed: request.seed ?? 1)
    let found = all.flatMap { scan.changes(in: $0) }.filter { $0.pValue != nil }
    let latest = found.max { $0.after.committed < $1.after.committed }?.after.commit
    guard let wanted = request.commits.first ?? latest else {
      throw ToolFailure(
        .nothingMatched, place: "history confirm", finding: "no series changes at any commit",
        expectation: "a suspicion of `bench history scan`", nextStep: "there is nothing to confirm")
    }
    let named = found.filter { $0.after.commit.hasPrefix(wanted) }
    guard !named.isEmpty else {
      throw ToolFailure(
        .nothingMatched, place: "history confirm", finding: "no series changes at `\(wanted)`",
        expectation: "a commit that `bench history scan` suspects",
        nextStep: "leave the commit out for the latest one")
    }
    let own = named.filter { $0.after.machineID == machine }
    guard !own.isEmpty else {
      throw ToolFailure(
        .noBaseline, place: "history confirm",
        finding: "the suspicion is of machine \(named[0].after.machineID.text)",
        expectation: "this one, \(machine.text), since machines are not compared",
        nextStep: "confirm it there")
    }
    return own
  }

  /// What is measured at once: the same commits, benchmark, parameters and scheduler.
  private static func pairs(of changes: [HistoryChange])
    -> [(before: String, after: String, subjects: [Subject])]
  {
    var pairs: [(before: String, after: String, subjects: [Subject])] = []
    for change in changes {
      let subject = change.after.subject
      let place = pairs.firstIndex { pair in
        var other = pair.subjects[0]
        (other.metric, other.statistic) = (subject.metric, subject.statistic)
        return pair.before == change.before.commit && pair.after == change.after.commit
          && other == subject
      }
      if let place {
        pairs[place].subjects.append(subject)
      } else {
        pairs.append((change.before.commit, change.after.commit, [subject]))
      }
    }
    return pairs
  }

  /// The request that measures figures of one contestant again.
  static func measuring(_ subjects: [Subject], _ request: CompareRequest) throws(ToolFailure)
    -> CompareRequest
  {
    guard var measurement = subjects.first.flatMap(MeasurementRequest.init(measuring:)) else {
      throw ToolFailure(
        .nothingMatched, place: subjects.first?.historyName ?? "history",
        finding: "it is no built-in workload, or of an allocator that is not here",
        expectation: "a series that this program can measure again",
        nextStep: "choose another one with --filter")
    }
    measurement.isQuick = request.run.measurement.isQuick
    measurement.budget = request.run.measurement.budget
    measurement.seed = request.run.measurement.seed
    var own = request
    own.run.measurement = measurement
    own.comparison.metrics = subjects.map(\.metric)
    return own
  }
}
