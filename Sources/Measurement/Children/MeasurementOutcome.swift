// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Machine
package import Results

/// What one child process measured; when it failed, what it had told until then, which is no
/// figure.
package struct MeasurementOutcome: Sendable {
  /// Every timed iteration, in order.
  package var iterations: [IterationSample] = []
  /// How many iterations and operations are behind `metrics`, of a build that told these alone; nil
  /// of a child, whose iterations are known.
  package var told: (iterations: Int, operations: Int)?
  /// Every sample of the timed iterations, in nanoseconds, of the metrics that have many.
  package var samples: [Metric: [UInt64]] = [:]
  /// Values of other metrics, one per report.
  package var metrics: [Metric: [Double]] = [:]
  /// Why metrics have no value here, a word each.
  package var missing: [Metric: String] = [:]
  /// The child's largest resident set in bytes, by the kernel's high-water mark; nil when it did
  /// not get that far.
  package var peakRSS: Int?
  /// Allocator and version that the child proved to have; nil when it did not get that far.
  package var allocatorProof: String?
  /// Nanoseconds that one refresh of jemalloc's statistics took in the child; nil without jemalloc.
  package var jemallocEpochNanoseconds: Int64?
  /// What disturbed the machine while the child ran.
  package var disturbance = Disturbance()
  /// From spawn to the child's end.
  package var elapsedNanoseconds: UInt64 = 0
  /// Why there is no figure; nil when the measurement is complete.
  package var failure: MeasurementFailure?

  /// An outcome without figures.
  package init(failure: MeasurementFailure? = nil) { self.failure = failure }

  /// Timed iterations.
  package var iterationCount: Int { told?.iterations ?? iterations.count }

  /// Operations of all timed iterations.
  package var operationCount: Int {
    told?.operations ?? iterations.reduce(0) { $0 + $1.operations }
  }

  /// The latencies among the samples.
  package var latencies: [UInt64] {
    get { samples[.latency] ?? [] }
    set { samples[.latency] = newValue }
  }

  /// The queue delays among the samples.
  package var queueDelays: [UInt64] {
    get { samples[.queueDelay] ?? [] }
    set { samples[.queueDelay] = newValue }
  }

  /// True when the child did all it was asked.
  package var isComplete: Bool { failure == nil }
}
