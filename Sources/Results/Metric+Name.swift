// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Metric {
  /// The metric of a name; nil for a name that is neither in the registry nor one's own.
  package init?(rawValue: String) {
    if let registered = Self.byName[rawValue] {
      self = registered
    } else if let own = OwnMetric(rawValue) {
      self = .own(own)
    } else {
      return nil
    }
  }

  /// Its name, as in the column `metric`.
  package var rawValue: String {
    switch self {
    case .wall: "wall"
    case .build: "build"
    case .run: "run"
    case .release: "release"
    case .throughput: "throughput"
    case .latency: "latency"
    case .cpu: "cpu"
    case .cpuUser: "cpu-user"
    case .cpuSystem: "cpu-system"
    case .peakRSS: "peak-rss"
    case .voluntarySwitches: "voluntary-switches"
    case .involuntarySwitches: "involuntary-switches"
    case .minorFaults: "minor-faults"
    case .majorFaults: "major-faults"
    case .jobs: "jobs"
    case .steals: "steals"
    case .failedSteals: "failed-steals"
    case .parks: "parks"
    case .wakeUps: "wake-ups"
    case .spuriousWakeUps: "spurious-wake-ups"
    case .injections: "injections"
    case .compensations: "compensations"
    case .makespan: "makespan"
    case .tasks: "tasks"
    case .edges: "edges"
    case .work: "work"
    case .criticalPath: "critical-path"
    case .efficiency: "efficiency"
    case .efficiencyIdeal: "efficiency-ideal"
    case .queueDelay: "queue-delay"
    case .instructions: "instructions"
    case .readModifyWrites: "rmw"
    case .allocations: "allocations"
    case .allocatedBytes: "allocated-bytes"
    case .hardwareInstructions: "hardware-instructions"
    case .cycles: "cycles"
    case .cacheMisses: "cache-misses"
    case .latencyUncorrected: "latency-uncorrected"
    case .latencyVeryHigh: "latency-very-high"
    case .latencyHigh: "latency-high"
    case .latencyNormal: "latency-normal"
    case .latencyLow: "latency-low"
    case .latencyVeryLow: "latency-very-low"
    case .inversion: "inversion"
    case .oldestWait: "oldest-wait"
    case .deadlinesMet: "deadlines-met"
    case .quiescence: "quiescence"
    case .startedAfterCancel: "started-after-cancel"
    case .wastedTime: "wasted-time"
    case .knee: "knee"
    case .construction: "construction"
    case .metg: "metg"
    case .nodes: "nodes"
    case .own(let own): own.name
    }
  }

  private static let byName = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}

extension Metric: CaseIterable {
  /// The registry; those of one's own are not in it.
  package static let allCases: [Metric] = [
    .wall, .build, .run, .release, .throughput, .latency, .cpu, .cpuUser, .cpuSystem, .peakRSS,
    .voluntarySwitches, .involuntarySwitches, .minorFaults, .majorFaults, .jobs, .steals,
    .failedSteals, .parks, .wakeUps, .spuriousWakeUps, .injections, .compensations, .makespan,
    .tasks, .edges, .work, .criticalPath, .efficiency, .efficiencyIdeal, .queueDelay,
    .instructions, .readModifyWrites, .allocations, .allocatedBytes, .hardwareInstructions,
    .cycles, .cacheMisses, .latencyUncorrected, .latencyVeryHigh, .latencyHigh, .latencyNormal,
    .latencyLow, .latencyVeryLow, .inversion, .oldestWait, .deadlinesMet, .quiescence,
    .startedAfterCancel, .wastedTime, .knee, .construction, .metg, .nodes,
  ]

  /// What a name has to be, for messages.
  package static var namesExpected: String {
    "one of " + allCases.map(\.rawValue).joined(separator: ", ")
      + "; or a name of one's own that begins with \(OwnMetric.prefix)"
  }
}

/// A metric that a workload reports and no registry knows: `x-` and what it is.
///
/// Its unit is 1, and no direction is better. A plain value of four bytes, since every row has one:
/// the names stand in a table of the process, once each. Any thread.
package struct OwnMetric: Hashable, Sendable {
  /// What it is, in one line.
  package static let summary = "a figure of a workload's own"
  /// What its name begins with.
  package static let prefix = "x-"

  private struct Names {
    var all: [String] = []
    var places: [String: UInt32] = [:]

    mutating func place(of name: String) -> UInt32 {
      if let known = places[name] { return known }
      let fresh = UInt32(all.count)
      all.append(name)
      places[name] = fresh
      return fresh
    }
  }

  private static let names = Mutex(Names())

  private let place: UInt32

  /// With the prefix; of a-z, 0-9 and hyphens.
  package var name: String { Self.names.withLock { $0.all[Int(place)] } }

  /// The metric of a name; nil unless it is the prefix and 1 to 62 of these characters.
  package init?(_ name: String) {
    let own = name.utf8.dropFirst(Self.prefix.utf8.count)
    let isPlain = own.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
    guard name.hasPrefix(Self.prefix), (1...62).contains(own.count), isPlain else { return nil }
    place = Self.names.withLock { $0.place(of: name) }
  }
}
