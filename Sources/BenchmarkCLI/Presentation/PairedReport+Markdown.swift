// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Results

extension PairedReport {
  /// The whole report in GitHub's Markdown, for a comment on a pull request.
  package var markdown: String {
    var table = TextTable(columns: [
      ("benchmark", .left), ("base", .left), ("candidate", .left), ("metric", .left),
      ("verdict", .left), ("change", .right), ("95 % interval", .right), ("pairs", .right),
      ("would be seen", .right),
    ])
    for result in analysis.results {
      let point = PairedPoint(result)
      let names = PairedSentence(result: result).names
      let interval = result.ratio?.interval
      table.rows.append([
        .init("\(point.title) (\(point.subtitle))"), .init(names.base), .init(names.candidate),
        .init(result.metric.rawValue),
        .init(result.verdict?.rawValue ?? result.failure?.text ?? "no figure"),
        .init(result.ratio.map { UnitFormatter.change($0.ratio) } ?? ""),
        .init(
          interval.map { "\(UnitFormatter.change($0.low)) to \(UnitFormatter.change($0.high))" }
            ?? ""),
        .init(result.outcome.map { String($0.pairs) } ?? ""),
        .init(
          result.outcome?.minimumDetectableEffect.map { "from \(UnitFormatter.percent($0)) up" }
            ?? ""),
      ])
    }
    let details = analysis.results.flatMap { sentences(of: $0) }.map {
      "- " + $0.replacing("\n", with: " ")
    }
    return [
      "**\(headline)**\n" + (context.certificate.map { "\n\($0)\n" } ?? ""), table.markdown,
      "<details><summary>How it was found</summary>\n", details.joined(separator: "\n") + "\n",
      legend(hasBars: false).joined(separator: "\n") + "\n", "</details>",
    ].joined(separator: "\n") + "\n"
  }
}
