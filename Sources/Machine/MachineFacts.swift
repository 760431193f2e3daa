// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// What this machine is and how it is set up, as far as it bears on figures; nil where it does not
/// say.
///
/// A value: what is read once can be judged, compared and tested without the machine.
package struct MachineFacts: Sendable {
  /// Distribution and its version.
  package var system: String?
  /// Kernel release.
  package var kernel: String?
  /// Hash of the kernel's command line, which holds mitigations and isolation.
  package var kernelCommandLineHash: String?
  /// The processor's marketing name.
  package var processor: String?
  /// Packages, cores, hardware threads.
  package var sockets, cores, threads: Int?
  /// Hardware threads in use, for instance `0-3`.
  package var online: String?
  /// Hardware threads this process may use.
  package var affinity: String?
  /// How many those are.
  package var usableThreads = 1
  /// Data caches of the first core in bytes.
  package var level1Bytes, level2Bytes, level3Bytes: Int64?
  /// Memory nodes.
  package var memoryNodes: Int?
  /// The hypervisor's name; nil on bare metal, or where the processor does not tell.
  package var hypervisor: String?
  /// Memory in bytes.
  package var memoryBytes: Int64?
  /// The kernel's clock, for instance `tsc`.
  package var clockSource: String?
  /// True when the time stamp counter runs evenly whatever the clock rate.
  package var hasInvariantCounter: Bool?
  /// How the clock rate is chosen.
  package var governor: String?
  /// True when the clock rate may exceed its nominal value.
  package var turbo: Bool?
  /// True when two hardware threads share a core.
  package var simultaneousThreads: Bool?
  /// When large pages are given: always, madvise, never.
  package var transparentHugePages: String?
  /// Address randomisation, 2 for all of it.
  package var addressRandomization: Int64?
  /// How late a timer may be, in nanoseconds.
  package var timerSlackNanoseconds: Int64?
  /// How long the guest polls before it halts, in nanoseconds.
  package var haltPollNanoseconds: Int64?
  /// The control group of the process.
  package var controlGroup = ControlGroup.ofThisProcess()
  /// CPUs' worth of time that the control group may use; nil without a limit.
  package var quota: Double?
  /// Who may count hardware events, -1 (everybody) … 4.
  package var performanceParanoia: Int64?
  /// 0 when hardware cycles can be counted, else why not, as an error number.
  package var performanceCounterError: Int32 = 0
  /// Bytes of the process's environment.
  package var environmentBytes: Int?
  /// The continuous integration service that runs this.
  package var integrationService: String?

  /// Reads them all; some milliseconds.
  package static func read() -> MachineFacts {
    var facts = MachineFacts()
    facts.readSystem()
    facts.readProcessor()
    facts.readCaches()
    facts.readSettings()
    facts.readLimits()
    return facts
  }

  private mutating func readSystem() {
    system = SystemFile.text("/etc/os-release").flatMap { text in
      Self.value(of: "PRETTY_NAME", separator: "=", in: text).map {
        String($0.drop { $0 == "\"" }.prefix { $0 != "\"" })
      }
    }
    kernel = SystemFile.line("/proc/sys/kernel/osrelease")
    kernelCommandLineHash = SystemFile.text("/proc/cmdline").map(Self.hash)
    memoryBytes = SystemFile.text("/proc/meminfo", limit: 4096)
      .flatMap { Self.value(of: "MemTotal", separator: ":", in: $0) }
      .flatMap { Int64($0.prefix { $0.isNumber }) }.map { $0 * 1024 }
    memoryNodes = SystemFile.line("/sys/devices/system/node/online").map {
      Self.members(of: $0).count
    }
    var name = [CChar](repeating: 0, count: 64)
    // SAFETY: the array has room for `count` characters, which the call terminates.
    unsafe shim_hypervisor(&name, UInt64(name.count))
    let signature = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    hypervisor = signature.isEmpty ? nil : Self.hypervisors[signature] ?? signature
  }

  private mutating func readProcessor() {
    let information = SystemFile.text("/proc/cpuinfo") ?? ""
    processor =
      Self.value(of: "model name", separator: ":", in: information)
      ?? Self.value(of: "CPU part", separator: ":", in: information).map { "part \($0)" }
    if let flags = Self.value(of: "flags", separator: ":", in: information)?.split(separator: " ") {
      hasInvariantCounter = flags.contains("constant_tsc") && flags.contains("nonstop_tsc")
    }
    online = SystemFile.line("/sys/devices/system/cpu/online")
    let present = SystemFile.line("/sys/devices/system/cpu/present").map { Self.members(of: $0) }
    threads = present?.count
    var packages: Set<Int64> = []
    var coresSeen: Set<[Int64]> = []
    for thread in present ?? [] {
      let folder = "/sys/devices/system/cpu/cpu\(thread)/topology"
      guard let package = SystemFile.number(folder + "/physical_package_id"),
        let core = SystemFile.number(folder + "/core_id")
      else { continue }
      packages.insert(package)
      coresSeen.insert([package, core])
    }
    sockets = packages.isEmpty ? nil : packages.count
    cores = coresSeen.isEmpty ? nil : coresSeen.count
    simultaneousThreads = SystemFile.number("/sys/devices/system/cpu/smt/active").map { $0 == 1 }
    usableThreads = max(1, Int(shim_usable_cpus()))
    affinity = SystemFile.text("/proc/self/status", limit: 4096)
      .flatMap { Self.value(of: "Cpus_allowed_list", separator: ":", in: $0) }
  }

  private mutating func readCaches() {
    for index in 0..<8 {
      let folder = "/sys/devices/system/cpu/cpu0/cache/index\(index)"
      guard let level = SystemFile.number(folder + "/level"),
        let kind = SystemFile.line(folder + "/type"), kind != "Instruction",
        let size = SystemFile.line(folder + "/size").flatMap(Self.bytes)
      else { continue }
      switch level {
      case 1: level1Bytes = size
      case 2: level2Bytes = size
      case 3: level3Bytes = size
      default: break
      }
    }
  }

  private mutating func readSettings() {
    let processors = "/sys/devices/system/cpu"
    clockSource = SystemFile.line(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource")
    governor = SystemFile.line(processors + "/cpu0/cpufreq/scaling_governor")
    turbo =
      SystemFile.number(processors + "/intel_pstate/no_turbo").map { $0 == 0 }
      ?? SystemFile.number(processors + "/cpufreq/boost").map { $0 == 1 }
    transparentHugePages = SystemFile.line("/sys/kernel/mm/transparent_hugepage/enabled")
      .flatMap(Self.bracketed)
    addressRandomization = SystemFile.number("/proc/sys/kernel/randomize_va_space")
    timerSlackNanoseconds = SystemFile.number("/proc/self/timerslack_ns")
    haltPollNanoseconds =
      SystemFile.number("/sys/module/haltpoll/parameters/guest_halt_poll_ns")
      ?? SystemFile.number("/sys/module/kvm/parameters/halt_poll_ns")
    performanceParanoia = SystemFile.number("/proc/sys/kernel/perf_event_paranoid")
    performanceCounterError = shim_pmu_error()
  }

  private mutating func readLimits() {
    quota = controlGroup.quota()
    environmentBytes = SystemFile.text("/proc/self/environ", limit: 1 << 20).map { $0.utf8.count }
    let services = [
      ("GITHUB_ACTIONS", "github-actions"), ("GITLAB_CI", "gitlab-ci"), ("BUILDKITE", "buildkite"),
      ("CIRCLECI", "circleci"), ("JENKINS_URL", "jenkins"), ("TEAMCITY_VERSION", "teamcity"),
      ("CI", "unnamed"),
    ]
    integrationService = services.first { EnvironmentVariable.value(of: $0.0) != nil }?.1
  }

  private static let hypervisors = [
    "KVMKVMKVM": "kvm", "Microsoft Hv": "hyper-v", "VMwareVMware": "vmware",
    "XenVMMXenVMM": "xen", "TCGTCGTCGTCG": "qemu", "VBoxVBoxVBox": "virtualbox",
    "bhyve bhyve ": "bhyve", "prl hyperv  ": "parallels",
  ]
}

/// Reading of the texts that Linux writes.
extension MachineFacts {
  /// What follows `key` and the separator on the first line that begins with them.
  static func value(of key: String, separator: Character, in text: String) -> String? {
    for line in text.split(separator: "\n") {
      guard let end = line.firstIndex(of: separator), trimmed(line[..<end]) == key else { continue }
      return trimmed(line[line.index(after: end)...])
    }
    return nil
  }

  /// The numbers of a list such as `0-2,5`.
  static func members(of list: String) -> [Int] {
    list.split(separator: ",").flatMap { piece -> [Int] in
      let ends = piece.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, first <= last else { return [] }
      return Array(first...last)
    }
  }

  /// The number of bytes of a size such as `32K`.
  static func bytes(_ size: String) -> Int64? {
    guard let number = Int64(size.prefix { $0.isNumber }) else { return nil }
    switch size.last {
    case "K": return number << 10
    case "M": return number << 20
    case "G": return number << 30
    default: return number
    }
  }

  /// The chosen word of a line such as `always [madvise] never`.
  static func bracketed(_ line: String) -> String? {
    guard let start = line.firstIndex(of: "["), let end = line.firstIndex(of: "]"), start < end
    else { return nil }
    return String(line[line.index(after: start)..<end])
  }

  /// 16 hexadecimal digits (FNV-1a), for telling texts apart.
  static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
