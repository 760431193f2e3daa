// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable internal import Machine

@Suite("Counters of the machine") struct DisturbanceTests {
  @Test func stealIsTheEighthNumber() {
    #expect(DisturbanceProbe.stealTicks(inStat: "cpu  1 2 3 4 5 6 7 159 9 10\ncpu0 1") == 159)
    #expect(DisturbanceProbe.stealTicks(inStat: "cpu  1 2 3 4 5 6 7\n") == nil)
    #expect(DisturbanceProbe.stealTicks(inStat: "intr 1 2 3 4 5 6 7 8") == nil)
  }

  @Test func busyIsAllButIdleWaitingAndStolen() {
    let stat = """
      cpu  9 9 9 9 9 9 9 9 9 9
      cpu0 1 2 4 8 16 32 64 128 9 10
      cpu1 1000 0 0 5 5 0 0 5 5 5
      cpu10 10000 0 0 5 5 0 0 5 5 5
      intr 1 2 3
      """
    #expect(DisturbanceProbe.busyTicks(of: [0], inStat: stat) == 103)
    #expect(DisturbanceProbe.busyTicks(of: [0, 1], inStat: stat) == 1103)
    #expect(DisturbanceProbe.busyTicks(of: [0, 2], inStat: stat) == nil)
    #expect(DisturbanceProbe.busyTicks(of: [], inStat: stat) == nil)
    #expect(DisturbanceProbe.busyTicks(of: [0], inStat: "cpu  1 2 3\ncpu0 1 2 3\n") == nil)
  }

  @Test func whatOthersUsedIsAllWithoutOnesOwn() {
    let first = DisturbanceProbe.Reading(busyTicks: 100, ownNanoseconds: 5_000_000)
    let second = DisturbanceProbe.Reading(busyTicks: 130, ownNanoseconds: 105_000_000)
    #expect(second.since(first).foreignNanoseconds == 200_000_000)
    // The kernel rounds: less than nothing is nothing.
    let third = DisturbanceProbe.Reading(busyTicks: 130, ownNanoseconds: 900_000_000)
    #expect(third.since(second).foreignNanoseconds == 0)
    #expect(DisturbanceProbe.Reading().since(first).foreignNanoseconds == nil)
  }

  @Test func anUnknownCounterStaysUnknown() {
    let first = DisturbanceProbe.Reading(stealTicks: 5, throttledPeriods: nil)
    let second = DisturbanceProbe.Reading(stealTicks: 8, throttledPeriods: 2)
    #expect(second.since(first) == Disturbance(stealTicks: 3, throttledPeriods: nil))
  }

  @Test func theGroupWithTheCPUControllerIsFound() {
    let hybrid = "5:memory:/m\n2:cpu,cpuacct:/a/b\n0::/u\n"
    #expect(
      ControlGroup.locate(in: hybrid) { $0 == "/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.stat" }
        == ControlGroup(version: .one, folder: "/sys/fs/cgroup/cpu,cpuacct/a/b"))
    #expect(
      ControlGroup.locate(in: hybrid) { $0 == "/sys/fs/cgroup/cpu/cpu.stat" }
        == ControlGroup(version: .one, folder: "/sys/fs/cgroup/cpu"))
    #expect(
      ControlGroup.locate(in: "0::/u.slice\n") { $0 == "/sys/fs/cgroup/u.slice/cpu.stat" }
        == ControlGroup(version: .two, folder: "/sys/fs/cgroup/u.slice"))
    #expect(
      ControlGroup.locate(in: "0::/outside\n") { $0 == "/sys/fs/cgroup/cpu.stat" }
        == ControlGroup(version: .two, folder: "/sys/fs/cgroup"))
  }
}

@Suite("The allocator of children") struct PreloadTests {
  @Test func preloadHoldsExactlyTheAllocatorAskedFor() {
    #expect(JemallocLibrary.preload(nil, library: nil) == "")
    #expect(JemallocLibrary.preload(nil, library: "/a/libjemalloc.so.2") == "/a/libjemalloc.so.2")
    let inherited = "/x/libtrace.so:/y/libjemalloc.so.1 /z/other.so"
    #expect(JemallocLibrary.preload(inherited, library: nil) == "/x/libtrace.so:/z/other.so")
    #expect(
      JemallocLibrary.preload(inherited, library: "/a/libjemalloc.so.2")
        == "/a/libjemalloc.so.2:/x/libtrace.so:/z/other.so")
  }
}
