// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Results
internal import Statistics

/// A run that compared a commit with the reference, as its rows tell it: side A is the reference,
/// side B the commit.
package struct ComparedRun: Sendable {
  /// The commit of side A.
  package let reference: String
  /// The commit of side B.
  package let commit: String
  /// Figures without a point, and why.
  package let omissions: [String]

  private let branch: String?
  private let run: RunIdentity
  private let figures: [Figure]

  private struct Figure {
    let subject: Subject
    let ratio: Double?
    let interval: Interval?
    let pairs: Int
    let value: Double
  }

  /// Finds the pairs of every metric that the run judged, which is one with a row of its ratio.
  ///
  /// Throws when the rows are no comparison of two clean commits. O(rows).
  /// - Parameters:
  ///   - rows: sound, and of one run.
  ///   - path: where they come from, for messages.
  package init(rows: [ResultRow], path: String) throws(HistoryFailure) {
    let judged = rows.filter { $0.role == .b && $0.subject.statistic == .ratio && $0.pairID == nil }
    guard let first = judged.first else {
      throw .refused(
        path, "no ratio of two revisions in it", "the rows of a comparison with the reference",
        "see `bench history --help`")
    }
    run = first.run
    reference = try Self.commit(of: rows, .a, path)
    commit = try Self.commit(of: rows, .b, path)
    branch = first.code.branch
    var sides: [Subject: [Role: [Int: Double]]] = [:]
    for row in rows {
      guard let role = row.role, let pair = row.pairID, let value = row.value else { continue }
      sides[row.subject, default: [:]][role, default: [:]][pair] = value
    }
    var figures: [Figure] = []
    var omissions: [String] = []
    for row in judged {
      var subject = row.subject
      subject.statistic = .p50
      let both = sides[subject] ?? [:]
      if let figure = Self.figure(subject, both[.a] ?? [:], both[.b] ?? [:]) {
        figures.append(figure)
      } else {
        omissions.append(
          "\(subject.historyName): no pair with figures above 0 on both sides (\(row.quality.text))"
        )
      }
    }
    guard !figures.isEmpty else {
      throw .refused(
        path, "no complete pair in it", "figures of both sides in one pair at least",
        "measure again")
    }
    self.figures = figures
    self.omissions = omissions
  }

  /// The points of the run.
  ///
  /// - Parameters:
  ///   - added: now.
  ///   - committed: when the commit was made.
  package func points(added: Timestamp, committed: Timestamp) -> [HistoryPoint] {
    figures.map { figure in
      HistoryPoint(
        added: added, committed: committed, commit: commit, branch: branch,
        machineID: run.machineID, subject: figure.subject, ratio: figure.ratio,
        interval: figure.interval, pairs: figure.pairs, value: figure.value, reference: reference,
        runID: run.runID)
    }
  }

  private static func figure(
    _ subject: Subject, _ reference: [Int: Double], _ commit: [Int: Double]
  ) -> Figure? {
    let pairs = commit.keys.filter { reference[$0] != nil }.sorted()
    let values = pairs.compactMap { commit[$0] }
    let anchors = pairs.compactMap { reference[$0] }
    guard !pairs.isEmpty else { return nil }
    if subject.metric.isExact {
      let (value, anchor) = (median(values), median(anchors))
      return Figure(
        subject: subject, ratio: anchor > 0 && value > 0 ? value / anchor : nil, interval: nil,
        pairs: pairs.count, value: value)
    }
    let logRatios = zip(values, anchors).filter { $0 > 0 && $1 > 0 }.map { log($0) - log($1) }
    guard !logRatios.isEmpty else { return nil }
    let estimate = PairedRatio.estimate(logRatios: logRatios)
    return Figure(
      subject: subject, ratio: estimate.ratio, interval: estimate.interval,
      pairs: logRatios.count, value: median(values))
  }

  /// The one commit of a side, which must be clean and built for release.
  private static func commit(of rows: [ResultRow], _ role: Role, _ path: String)
    throws(HistoryFailure) -> String
  {
    let side = role == .a ? "the reference (A)" : "the commit (B)"
    let own = rows.filter { $0.role == role }
    let commits = Set(own.map(\.code.commit))
    guard commits.count == 1, let commit = commits.first ?? nil else {
      throw .refused(
        path,
        "\(commits.count) revisions on the side of \(side)"
          + (commits.contains(nil) ? ", one of no commit" : ""),
        "one commit", "measure revisions of a repository, two at a time")
    }
    guard !own.contains(where: { $0.code.isDirty == true }) else {
      throw .refused(
        path, "the code of \(side) had changes that are in no commit", "a clean checkout",
        "commit them, or measure the commit itself")
    }
    let flags = own.reduce(into: Set<QualityFlag>()) { $0.formUnion($1.quality) }
      .filter(\.isOfBuild)
    guard flags.isEmpty else {
      throw .refused(
        path, "the program of \(side) was built as \(flags.text)", "a release build",
        "measure with a release build")
    }
    return commit
  }
}
