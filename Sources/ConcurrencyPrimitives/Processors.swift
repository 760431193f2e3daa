// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// How many processors this process may use.
package enum CPUCount {
  /// Processors in the affinity mask of the calling thread now, at least 1.
  ///
  /// A system call; do not call it per job.
  package static var available: Int { max(1, Int(shim_processor_count())) }
}

/// Where threads may run.
package enum ThreadAffinity {
  /// Restricts the calling thread to these processors, by the system's numbers; `name` is for the
  /// message.
  ///
  /// Threads that it starts afterwards inherit the restriction. Stops the process when the system
  /// refuses.
  package static func restrict(_ name: String, to processors: [Int]) {
    let numbers = processors.map { Int32(clamping: $0) }
    // SAFETY: the array lives through the call, which reads as many numbers as it is told.
    let error = unsafe shim_restrict_thread(numbers, Int32(numbers.count))
    guard error == 0 else {
      fatalError(
        "thread \(name): the system refused to pin it to processors \(processors) with errno \(error); "
          + "expected processors that the process may use. Pass a topology of those, or do not pin."
      )
    }
  }
}
