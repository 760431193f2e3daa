// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// How many processors this process may use.
package enum CPUCount {
  /// Processors in the affinity mask of the calling thread now, at least 1.
  ///
  /// A system call; do not call it per job.
  package static var available: Int { max(1, Int(shim_processor_count())) }
}
