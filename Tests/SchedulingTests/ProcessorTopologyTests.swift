// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport
import Testing

/// Orders, distances and the reader, on machines that exist as values only.
@Suite struct ProcessorTopologyTests {
  /// Two packages, two level 3 caches each, two cores each with two hardware threads, numbered as
  /// Linux often does: first threads of all cores, then the second ones.
  static let twoPackages = ProcessorTopology(
    (0..<16).map { number in
      let core = number % 8
      return ProcessorTopology.Processor(
        number: number, core: core, l2: core, l3: core / 2, node: core / 4, package: core / 4)
    })

  @Test func compactFillsACoreThenACacheThenAPackage() {
    let order = Self.twoPackages.order(for: .compact)?.map(\.number)
    #expect(order == [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15])
  }

  @Test func spreadTakesPackagesThenCachesThenCoresInTurn() {
    let order = Self.twoPackages.order(for: .spread)?.map(\.number)
    #expect(order == [0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15])
  }

  @Test func withoutPinningThereIsNoOrder() {
    #expect(Self.twoPackages.order(for: .none) == nil)
  }

  @Test(arguments: [(0, 8, 0), (0, 1, 2), (0, 2, 3), (0, 4, 5), (3, 3, 0)])
  func distanceGrowsWithWhatIsNotShared(from: Int, to: Int, steps: Int) {
    let processors = Self.twoPackages.processors
    #expect(processors[from].distance(to: processors[to]) == steps)
  }

  @Test func filesOfTheSystemBecomeSharedCoresCachesNodesAndPackages() {
    var files = [
      "/sys/devices/system/node/online": "0-1\n",
      "/sys/devices/system/node/node0/cpulist": "0-1,4-5\n",
      "/sys/devices/system/node/node1/cpulist": "2-3,6-7\n",
    ]
    for number in 0..<8 {
      let folder = "/sys/devices/system/cpu/cpu\(number)"
      let first = number % 4
      files["\(folder)/topology/thread_siblings_list"] = "\(first),\(first + 4)\n"
      files["\(folder)/topology/physical_package_id"] = "\(first / 2)\n"
      for (index, cache) in [("1", "Instruction"), ("2", "Unified"), ("3", "Unified")].enumerated()
      {
        files["\(folder)/cache/index\(index)/level"] = cache.0 + "\n"
        files["\(folder)/cache/index\(index)/type"] = cache.1 + "\n"
        let low = first / 2 * 2
        files["\(folder)/cache/index\(index)/shared_cpu_list"] =
          cache.0 == "3" ? "\(low)-\(low + 1),\(low + 4)-\(low + 5)\n" : "\(first),\(first + 4)\n"
      }
    }
    let topology = ProcessorTopology(allowed: [1, 2, 6]) { files[$0] }
    #expect(
      topology.processors == [
        .init(number: 1, core: 1, l2: 1, l3: 0, node: 0, package: 0),
        .init(number: 2, core: 2, l2: 2, l3: 2, node: 1, package: 1),
        .init(number: 6, core: 2, l2: 2, l3: 2, node: 1, package: 1),
      ])
  }

  @Test func aSystemThatSaysNothingIsOnePackageOfSeparateCores() {
    let topology = ProcessorTopology(allowed: [3, 5]) { _ in nil }
    #expect(topology.processors.map(\.core) == [3, 5])
    #expect(topology.processors[0].distance(to: topology.processors[1]) == 2)
  }

  @Test func thisMachineHasTheProcessorsThatThisThreadMayUse() {
    let numbers = ProcessorTopology.ofThisThread().processors.map(\.number)
    #expect(Self.listed(ThreadProbe.current.allowedProcessors) == numbers)
  }

  /// `0-3,8` as numbers.
  private static func listed(_ text: String) -> [Int] {
    text.split(separator: ",").flatMap { piece -> [Int] in
      let ends = piece.split(separator: "-").compactMap { Int($0) }
      return ends.count == 2 ? Array(ends[0]...ends[1]) : ends
    }
  }
}
