// SPDX-License-Identifier: Apache-2.0

internal import Analysis

extension CommandLineTool {
  /// `bench compare A.csv B.csv`: what two stored runs say about each other, which never gates.
  func compare(_ request: FilesRequest) throws(ToolFailure) -> ExitCode {
    let report = FileComparisonReport(
      FileComparison(
        base: try figures(of: request.base), candidate: try figures(of: request.candidate)),
      names: (request.base, request.candidate))
    switch request.format {
    case .text: try console.out(report.text(style: style(request.color)))
    case .markdown: try console.out(report.markdown)
    case .json: try console.out(report.json)
    }
    return .success
  }

  /// The figures of a file, of whose rows only the first, which says which run it is, and those are
  /// kept that are compared.
  private func figures(of path: String) throws(ToolFailure) -> RunFigures {
    var isFirst = true
    let run = try StoredRun(path: path, console: console) { row in
      defer { isFirst = false }
      return isFirst || RunFigures.takes(row)
    }
    return RunFigures(run.rows)
  }
}
