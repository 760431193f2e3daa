// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Results

extension FileComparisonReport {
  /// Every figure, warning and contestant without a partner, for a script.
  package var json: String {
    JSONValue.object([
      ("caution", .string(Self.caution)),
      ("base", run(comparison.base, names.base)),
      ("candidate", run(comparison.candidate, names.candidate)),
      ("warnings", .array(warnings.map { .string($0) })),
      ("figures", .array(comparison.figures.map(figure))),
      ("only_in_base", .array(comparison.onlyInBase.map { .object(contestant($0)) })),
      ("only_in_candidate", .array(comparison.onlyInCandidate.map { .object(contestant($0)) })),
    ]).document
  }

  private func run(_ figures: RunFigures, _ file: String) -> JSONValue {
    func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    return .object([
      ("file", .string(file)), ("run_id", .string(figures.run.runID.text)),
      ("time", .string(figures.run.time.text)),
      ("machine_id", .string(figures.run.machineID.text)), ("commit", text(figures.code.commit)),
      ("dirty", figures.code.isDirty.map { .boolean($0) } ?? .null),
      ("binary", text(figures.code.binary)), ("toolchain", text(figures.code.toolchain)),
    ])
  }

  private func contestant(_ id: ContestantID) -> [(name: String, value: JSONValue)] {
    [
      ("suite", .string(id.suite)), ("benchmark", .string(id.benchmark)),
      ("params", .string(id.params.text)), ("scheduler", .string(id.scheduler)),
      ("allocator", .string(id.allocator)),
    ]
  }

  private func figure(_ figure: FileComparison.Figure) -> JSONValue {
    func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
    func side(_ side: FileComparison.Side) -> JSONValue {
      .object([
        ("median", number(side.median)), ("processes", .integer(side.processes)),
        ("failure", side.failure.map { .string($0.text) } ?? .null),
      ])
    }
    let interval = figure.ratio?.interval
    return .object(
      contestant(figure.id) + [
        ("metric", .string(figure.metric.rawValue)), ("unit", .string(figure.metric.unit)),
        ("base", side(figure.base)), ("candidate", side(figure.candidate)),
        ("ratio", number(figure.ratio?.ratio)), ("ci_low", number(interval?.low)),
        ("ci_high", number(interval?.high)), ("ci_level", number(interval?.level)),
      ])
  }
}
