// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Results

extension Set<QualityFlag> {
  /// What every figure of this build must carry; empty for a release build.
  package static var ofThisBuild: Set<QualityFlag> {
    var flags: Set<QualityFlag> = BuildFacts.isDebug ? [.debug] : []
    if BuildFacts.sanitizer != nil { flags.insert(.sanitized) }
    return flags
  }
}
