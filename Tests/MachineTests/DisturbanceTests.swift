// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable internal import Machine

@Suite("Counters of the machine") struct DisturbanceTests {
  @Test func stealIsTheEighthNumber() {
    #expect(DisturbanceProbe.stealTicks(inStat: "cpu  1 2 3 4 5 6 7 159 9 10\ncpu0 1") == 159)
    #expect(DisturbanceProbe.stealTicks(inStat: "cpu  1 2 3 4 5 6 7\n") == nil)
    #expect(DisturbanceProbe.stealTicks(inStat: "intr 1 2 3 4 5 6 7 8") == nil)
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
