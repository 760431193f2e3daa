// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
package import Harness

/// What this machine is and how it is set up, as far as it bears on figures; nil where it does not
/// say.
///
/// A value: what is read once can be judged, compared and tested without the machine.
package struct MachineFacts: Sendable {
  /// Where all of it is read.
  package var files = SystemFiles.ofThisMachine
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
  /// Those, one by one; empty where the kernel does not tell.
  package var usable: [Int] = []
  /// How many those are.
  package var usableThreads = 1
  /// The hardware threads on the core of each that is usable, itself among them.
  package var siblings: [Int: [Int]] = [:]
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
  /// The clocks that the kernel could use instead.
  package var clockSources: [String] = []
  /// True when the time stamp counter runs evenly whatever the clock rate.
  package var hasInvariantCounter: Bool?
  /// How the clock rate of the usable processors is chosen, several ways joined by `+`.
  package var governor: String?
  /// True when the clock rate may exceed its nominal value.
  package var turbo: Bool?
  /// The file that says so.
  package var turboPath: String?
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
  /// What limits the CPU time of the control group; nil without a limit.
  package var limit: ControlGroup.Limit?
  /// Who may count hardware events, -1 (everybody) … 4.
  package var performanceParanoia: Int64?
  /// Why the processor's events cannot be counted; nil when they can.
  package var counterRefusal: CounterRefusal?
  /// Bytes of the process's environment.
  package var environmentBytes: Int?
  /// The continuous integration service that runs this.
  package var integrationService: String?

  /// Reads them all; some milliseconds.
  package static func read(_ files: SystemFiles = .ofThisMachine) -> MachineFacts {
    var facts = MachineFacts()
    facts.files = files
    facts.readSystem()
    facts.readProcessor()
    facts.readCaches()
    facts.readSettings()
    facts.readLimits()
    return facts
  }

  private mutating func readSystem() {
    system = files.text("/etc/os-release").flatMap { text in
      Self.value(of: "PRETTY_NAME", separator: "=", in: text).map {
        String($0.drop { $0 == "\"" }.prefix { $0 != "\"" })
      }
    }
    kernel = files.line("/proc/sys/kernel/osrelease")
    kernelCommandLineHash = files.text("/proc/cmdline").map(Self.hash)
    memoryBytes = files.text("/proc/meminfo", limit: 4096)
      .flatMap { Self.value(of: "MemTotal", separator: ":", in: $0) }
      .flatMap { Int64($0.prefix { $0.isNumber }) }.map { $0 * 1024 }
    memoryNodes = files.line("/sys/devices/system/node/online").map {
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
    let information = files.text("/proc/cpuinfo") ?? ""
    processor =
      Self.value(of: "model name", separator: ":", in: information)
      ?? Self.value(of: "CPU part", separator: ":", in: information).map { "part \($0)" }
    if let flags = Self.value(of: "flags", separator: ":", in: information)?.split(separator: " ") {
      hasInvariantCounter = flags.contains("constant_tsc") && flags.contains("nonstop_tsc")
    }
    online = files.line("/sys/devices/system/cpu/online")
    let present = files.line("/sys/devices/system/cpu/present").map { Self.members(of: $0) }
    threads = present?.count
    var packages: Set<Int64> = []
    var coresSeen: Set<[Int64]> = []
    for thread in present ?? [] {
      let folder = "/sys/devices/system/cpu/cpu\(thread)/topology"
      guard let package = files.number(folder + "/physical_package_id"),
        let core = files.number(folder + "/core_id")
      else { continue }
      packages.insert(package)
      coresSeen.insert([package, core])
    }
    sockets = packages.isEmpty ? nil : packages.count
    cores = coresSeen.isEmpty ? nil : coresSeen.count
    simultaneousThreads = files.number("/sys/devices/system/cpu/smt/active").map { $0 == 1 }
    (affinity, usable) = Self.usableProcessors(files)
    usableThreads = usable.isEmpty ? max(1, Int(shim_usable_cpus())) : usable.count
    for thread in usable {
      siblings[thread] = files.line(Self.siblingsPath(thread)).map(Self.members(of:))
    }
  }

  private mutating func readCaches() {
    for index in 0..<8 {
      let folder = "/sys/devices/system/cpu/cpu0/cache/index\(index)"
      guard let level = files.number(folder + "/level"),
        let kind = files.line(folder + "/type"), kind != "Instruction",
        let size = files.line(folder + "/size").flatMap(Self.bytes)
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
    clockSource = files.line(Self.clockFolder + "/current_clocksource")
    clockSources = (files.line(Self.clockFolder + "/available_clocksource") ?? "")
      .split(separator: " ").map(String.init)
    let governors = Set(governorPaths.compactMap(files.line))
    governor = governors.isEmpty ? nil : governors.sorted().joined(separator: "+")
    for path in Self.turboPaths {
      guard let number = files.number(path) else { continue }
      turboPath = path
      turbo = path.hasSuffix("no_turbo") ? number == 0 : number == 1
      break
    }
    transparentHugePages = files.line(Self.largePagesPath)
      .flatMap(Self.bracketed)
    addressRandomization = files.number(Self.randomizationPath)
    timerSlackNanoseconds = files.number(Self.timerSlackPath)
    haltPollNanoseconds =
      files.number("/sys/module/haltpoll/parameters/guest_halt_poll_ns")
      ?? files.number("/sys/module/kvm/parameters/halt_poll_ns")
    performanceParanoia = files.number("/proc/sys/kernel/perf_event_paranoid")
    counterRefusal = HardwareCounters.refusal()
  }

  private mutating func readLimits() {
    controlGroup = ControlGroup.ofThisProcess(files)
    limit = controlGroup.limit(files)
    environmentBytes = files.text("/proc/self/environ", limit: 1 << 20).map { $0.utf8.count }
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

/// Where Linux says what `doctor` asks for.
extension MachineFacts {
  static let clockFolder = "/sys/devices/system/clocksource/clocksource0"
  static let timerSlackPath = "/proc/self/timerslack_ns"
  static let largePagesPath = "/sys/kernel/mm/transparent_hugepage/enabled"
  static let randomizationPath = "/proc/sys/kernel/randomize_va_space"
  static let turboPaths = [
    "/sys/devices/system/cpu/intel_pstate/no_turbo", "/sys/devices/system/cpu/cpufreq/boost",
    "/sys/devices/system/cpu/cpu0/cpufreq/boost",
  ]

  /// The CPUs that this process may use, as the kernel writes them and one by one.
  static func usableProcessors(_ files: SystemFiles) -> (list: String?, members: [Int]) {
    let list = files.text("/proc/self/status", limit: 4096)
      .flatMap { value(of: "Cpus_allowed_list", separator: ":", in: $0) }
    return (list, list.map(members(of:)) ?? [])
  }

  static func siblingsPath(_ thread: Int) -> String {
    "/sys/devices/system/cpu/cpu\(thread)/topology/thread_siblings_list"
  }

  /// Those of the usable processors, of the first one where they are not known.
  var governorPaths: [String] {
    (usable.isEmpty ? [0] : usable).map {
      "/sys/devices/system/cpu/cpu\($0)/cpufreq/scaling_governor"
    }
  }

  /// How often heat slowed down a usable core, and its package.
  var throttleCountPaths: [String] {
    usable.flatMap { thread in
      ["core", "package"].map {
        "/sys/devices/system/cpu/cpu\(thread)/thermal_throttle/\($0)_throttle_count"
      }
    }
  }
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
