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

  /// The rows are gone when the next file is read: a large file has a million of them.
  private func figures(of path: String) throws(ToolFailure) -> RunFigures {
    RunFigures(try StoredRun(path: path, console: console).rows)
  }
}
