// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Testing

@testable import WorkStealingBackend

/// What a configuration accepts, and how it says no.
@Suite struct ConfigurationTests {
  typealias Change = @Sendable (inout WorkStealingConfiguration) -> Void

  static let illegal: [(property: String, range: String, change: Change)] = [
    ("stealBatch", "1 to 256", { $0.stealBatch = 0 }),
    ("stealBatch", "1 to 256", { $0.stealBatch = 257 }),
    (
      "spinBudgetNanoseconds", "nil (auto) or 0 to 1000000000",
      { $0.spinBudgetNanoseconds = 1_000_000_001 }
    ),
    ("chainBound", "0 to 1000000", { $0.chainBound = -1 }),
    ("injectorInterval", "1 to 1000000", { $0.injectorInterval = 0 }),
    ("ageingInterval", "0 to 1000000", { $0.ageingInterval = -1 }),
    ("stackSize", "0 (system) or 65536 to 1073741824", { $0.stackSize = 4096 }),
    ("compensationLimit", "0 to 32000", { $0.compensationLimit = -1 }),
    ("stealOrder", "pinning compact or spread", { $0.stealOrder = .nearestFirst }),
  ]

  @Test(arguments: illegal.indices)
  func anIllegalValueIsRefusedWithPlaceRangeAndRemedy(index: Int) {
    let (property, range, change) = Self.illegal[index]
    var configuration = WorkStealingConfiguration()
    change(&configuration)
    do {
      try configuration.validate()
      Issue.record("accepted \(property)")
    } catch {
      #expect(error.place == "WorkStealingConfiguration.\(property)")
      #expect(error.expectation == range)
      #expect(!error.finding.isEmpty && !error.nextStep.isEmpty)
    }
  }

  @Test func aSchedulerStopsTheProcessOverAnIllegalValue() async {
    await #expect(processExitsWith: .failure) {
      var configuration = WorkStealingConfiguration()
      configuration.stealBatch = 0
      _ = WorkStealingScheduler(workers: 1, configuration: configuration)
    }
  }

  @Test func theKnobsDefaultsAreTheConfigurationsDefaults() throws {
    let knobs = WorkStealingConfiguration.knobs
    let all = KnobSettings().completed(by: knobs)
    #expect(all.entries.count == knobs.count)
    let configuration = try WorkStealingConfiguration(all)
    #expect("\(configuration)" == "\(WorkStealingConfiguration())")
  }

  @Test func knobsSetTheirPropertiesInTheirUnits() throws {
    let configuration = try WorkStealingConfiguration(
      KnobSettings([
        "pin": "spread", "local-order": "fifo", "steal-order": "nearest-first", "steal-batch": 4,
        "spin-us": 5, "priority": "relaxed", "chain-bound": 7, "injector-interval": 8,
        "ageing-interval": 0, "stack-kib": 256, "compensation-limit": 3,
      ]))
    #expect(configuration.pinning == .spread)
    #expect(configuration.localOrder == .fifo)
    #expect(configuration.stealOrder == .nearestFirst)
    #expect(configuration.stealBatch == 4)
    #expect(configuration.spinBudgetNanoseconds == 5000)
    #expect(configuration.priorityPolicy == .relaxed)
    #expect(configuration.chainBound == 7)
    #expect(configuration.injectorInterval == 8)
    #expect(configuration.ageingInterval == 0)
    #expect(configuration.stackSize == 256 << 10)
    #expect(configuration.compensationLimit == 3)
  }

  @Test func whatDoesNotGoTogetherIsRefusedAmongKnobsToo() {
    #expect(throws: KnobError.self) {
      try WorkStealingConfiguration(KnobSettings(["steal-order": "nearest-first"]))
    }
  }
}
