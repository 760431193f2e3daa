// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results

extension CommandLineTool {
  /// `bench baseline`: keeps commits by name, to gate later ones against.
  func baseline(_ request: BaselineRequest) throws(ToolFailure) -> ExitCode {
    let session = try session(Self.start())
    let shelf = BaselineShelf(
      store: BaselineStore(
        resultsFolder: PackageFolder.results(lookingUpFrom: folders),
        machine: session.identity.machineID),
      console: console)
    switch request.action {
    case .save(let name):
      let baseline = try BaselineShelf.baseline(of: session.code, run: session.identity)
      // Before minutes of counting.
      try shelf.rehearse(name, force: request.force)
      let counts =
        request.counts
        ? try baselineCounts(commit: baseline.commit, isQuiet: request.quiet) : nil
      try shelf.save(
        baseline, counts: counts, as: name, force: request.force, quiet: request.quiet)
    case .list: try shelf.list(isJSON: request.isJSON)
    case .show(let name): try shelf.show(name, isJSON: request.isJSON)
    case .delete(let name): try shelf.delete(name, quiet: request.quiet)
    }
    return .success
  }
}
