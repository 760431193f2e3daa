// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Thousands of random graphs per scheduler, undisturbed and disturbed in every way at once.
  ///
  /// `BENCH_STRESS` multiplies their number, `BENCH_STRESS_SEED` sets the first seed; a failure
  /// names its own.
  @Suite struct StressTests {
    @Test(
      .contract(10, 21, 112, 116, 139), arguments: Kind.all, Disturbance.variants)
    func everyOperationRunsOnceAfterItsDependencies(_ kind: Kind, _ disturbance: Disturbance) {
      let lifetimes = LifetimeCounter()
      let scheduler = kind.make(kind.workers)
      let graphs = 100 * stressFactor / (slowness > 1 ? 2 : 1)
      for index in 0..<UInt64(graphs) {
        let fault = disturbance.fault(
          seed: stressSeed + index, on: scheduler, lifetimes: lifetimes, patience: patience)
        if let fault {
          Issue.record("\(fault)")
          return
        }
      }
      #expect(
        waitUntil { lifetimes.live == 0 },
        "seeds \(stressSeed)..<\(stressSeed + UInt64(graphs)): \(lifetimes.live) are alive")
    }
  }
}
