// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Results

extension PairedReport {
  /// The verdicts and the rows they rest on, for a script.
  package var json: String {
    JSONValue.object([
      ("verdicts", .array(analysis.results.map(verdict))), ("rows", .rows(analysis.rows)),
    ]).document
  }

  private func verdict(_ result: PairedResult) -> JSONValue {
    func side(_ side: ContestantResult) -> JSONValue {
      .object([
        ("scheduler", .string(side.name)), ("params", .string(side.id.params.text)),
        ("commit", side.id.code.commit.map { .string($0) } ?? .null),
        ("binary", side.id.code.binary.map { .string($0) } ?? .null),
      ])
    }
    func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
    func whole(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
    let interval = result.ratio?.interval
    return .object([
      ("suite", .string(result.base.id.suite)), ("benchmark", .string(result.base.id.benchmark)),
      ("metric", .string(result.metric.rawValue)), ("base", side(result.base)),
      ("candidate", side(result.candidate)),
      ("verdict", result.verdict.map { .string($0.rawValue) } ?? .null),
      ("failure", result.failure.map { .string($0.text) } ?? .null),
      ("ratio", number(result.ratio?.ratio)), ("ci_low", number(interval?.low)),
      ("ci_high", number(interval?.high)), ("pairs", whole(result.outcome?.pairs)),
      ("minimum_detectable_effect", number(result.outcome?.minimumDetectableEffect)),
      ("pairs_to_settle", whole(result.outcome?.pairsToSettle)),
      ("p_value", number(result.outcome?.pValue)),
      ("p_value_in_family", number(result.adjustedPValue)),
      ("sentence", .string(PairedSentence(result: result).text())),
    ])
  }
}
