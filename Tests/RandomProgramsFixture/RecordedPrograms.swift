// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiling
import Traces

/// A recording of the programs that a child runs, where the environment asks for it.
///
/// Nobody looks at it: what it is for is that the programs run with it.
struct RecordedPrograms {
  private let recorder: Recorder?

  init() {
    guard ProcessInfo.processInfo.environment["BENCH_RECORD"] == "1" else {
      recorder = nil
      return
    }
    do throws(RecordingError) { recorder = try Recorder.begin() } catch { fatalError("\(error)") }
  }

  /// Ends it, and stops the process where its times contradict each other.
  func end() {
    guard let trace = recorder?.end() else { return }
    let skew = max(0, trace.header.clockSkewNanoseconds)
    for (index, operation) in trace.operations.enumerated() {
      let times = [operation.ready, operation.started, operation.finished].compactMap { $0 }
      guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 + skew }) else {
        fatalError(
          "recording: operation \(index) has the times \(times) of ready, started and finished; "
            + "expected them to rise, but for \(skew) ns of skew.")
      }
    }
  }
}
