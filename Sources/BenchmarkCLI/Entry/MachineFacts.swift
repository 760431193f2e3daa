// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Results

/// The machine's description for one run: taken before, completed after.
struct MachineFacts {
  let run: RunID

  init(run: RunID) { self.run = run }

  func record() throws(ToolFailure) -> EnvironmentRecord {
    try Self.made(pairs: [("run_id", run.text), ("harness_version", CommandLineTool.version)])
  }

  func finalRecord(allocatorProof: String?) throws(ToolFailure) -> EnvironmentRecord {
    var record = try record()
    if let allocatorProof { record[.allocator] = allocatorProof }
    return record
  }

  private static func made(pairs: [(String, String)]) throws(ToolFailure) -> EnvironmentRecord {
    do throws(EnvironmentError) { return try EnvironmentRecord(pairs) } catch {
      throw ToolFailure(.internalFault, place: "environment file", finding: "\(error)")
    }
  }
}
