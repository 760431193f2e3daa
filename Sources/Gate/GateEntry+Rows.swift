// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Results

extension GateEntry {
  /// What the rows of a comparison in pairs say of everything that gates: of every side, what the
  /// comparison judged, and the figures that the limits name.
  ///
  /// Base and candidate of a subject differ in their role alone. Pure; O(rows).
  /// - Parameters:
  ///   - rows: of one run.
  ///   - limits: what is allowed.
  ///   - story: what happened to a contestant that failed, in a few words.
  ///   - exclusion: why a subject is not judged; nil when it is.
  package static func entries(
    rows: [ResultRow], limits: Limits, story: (ResultRow) -> String? = { _ in nil },
    exclusion: (GateSubject) -> GateExclusion? = { _ in nil }
  ) -> [GateEntry] {
    let pairs = FiguresByPair(rows)
    return rows.flatMap { row -> [GateEntry] in
      guard row.role == .b, let design = row.design else { return [] }
      let judged = FigureKey(row.subject.metric, .p50)
      let figures = [judged] + pairs.figures(of: row.subject).filter { $0 != judged }
      return figures.compactMap { figure in
        let subject = GateSubject(row.subject, figure)
        guard figure == judged || limits.names(subject), let ruling = limits.ruling(subject) else {
          return nil
        }
        let evidence: Evidence
        if let exclusion = exclusion(subject) {
          evidence = .excluded(exclusion)
        } else if let failure = row.quality.first(where: \.isFailure) {
          evidence = .failed(story(row) ?? failure.text)
        } else {
          evidence = pairs.evidence(of: row.subject, figure, design)
        }
        return GateEntry(subject: subject, ruling: ruling, evidence: evidence)
      }
    }
  }
}

extension GateSubject {
  /// A figure of whom a row is about.
  package init(_ subject: Subject, _ figure: FigureKey) {
    self.init(
      workload: subject.benchmark, params: subject.params, scheduler: subject.scheduler,
      figure: figure)
  }
}

extension Limits {
  /// Whether a line is about this figure and not about all of them.
  func names(_ subject: GateSubject) -> Bool {
    rules.contains { $0.figure != nil && $0.allowance != .off && $0.matches(subject) }
  }
}

/// The figures of pairs, by subject and role.
private struct FiguresByPair {
  private struct Key: Hashable {
    let subject: Subject
    let role: Role
  }

  private var values: [Key: [Int: Double]] = [:]
  /// Operations behind all figures together.
  private var operations: [Key: Int] = [:]
  private var figuresOf: [Subject: [FigureKey]] = [:]

  init(_ rows: [ResultRow]) {
    for row in rows {
      guard let role = row.role, let pair = row.pairID, let value = row.value else { continue }
      let key = Key(subject: row.subject, role: role)
      if role == .b, values[key] == nil {
        figuresOf[Self.whose(row.subject), default: []].append(row.subject.key)
      }
      values[key, default: [:]][pair] = value
      operations[key, default: 0] += row.operationCount ?? 0
    }
  }

  /// The figures that the candidate has, in the order of the rows.
  func figures(of subject: Subject) -> [FigureKey] { figuresOf[Self.whose(subject)] ?? [] }

  /// The pairs in which both sides have a figure above 0.
  func evidence(of subject: Subject, _ figure: FigureKey, _ design: ComparisonDesign)
    -> GateEntry.Evidence
  {
    var own = subject
    (own.metric, own.statistic) = (figure.metric, figure.statistic)
    let sides = [Role.a, .b].map { Key(subject: own, role: $0) }
    let (base, candidate) = (values[sides[0]] ?? [:], values[sides[1]] ?? [:])
    if let beyond = sides.compactMap({ operationsBeyond(figure, of: $0) }).min(),
      beyond < GateClass.leastBeyond
    {
      return .excluded(.fewBeyond(operations: beyond))
    }
    let pairs = candidate.sorted { $0.key < $1.key }.compactMap { pair, value in
      base[pair].flatMap { $0 > 0 && value > 0 ? (log(value) - log($0), value) : nil }
    }
    guard !pairs.isEmpty else { return .failed("no pair has a figure above 0 on both sides") }
    return .pairs(
      PairEvidence(
        logRatios: pairs.map(\.0), candidates: pairs.map(\.1), design: design.looks,
        withoutFigure: Set(base.keys).union(candidate.keys).count - pairs.count))
  }

  /// How many operations of a side lie beyond a percentile of the tail; nil for any other figure.
  private func operationsBeyond(_ figure: FigureKey, of side: Key) -> Int? {
    guard GateClass(figure) == .tail, let quantile = figure.statistic.quantile else { return nil }
    return Int((Double(operations[side] ?? 0) * (1 - quantile)).rounded())
  }

  /// A subject without its figure.
  private static func whose(_ subject: Subject) -> Subject {
    var subject = subject
    (subject.metric, subject.statistic) = (.wall, .p50)
    return subject
  }
}
