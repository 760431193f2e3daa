// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

extension ProcessorTopology {
  /// The processors that the calling thread may run on, as the files under /sys describe them.
  ///
  /// Reads some ten files per processor; do not call it per job. What a file does not say counts as
  /// shared by nobody below the package, and as shared by all above.
  public static func ofThisThread() -> ProcessorTopology {
    ProcessorTopology(allowed: allowedProcessors()) { path in
      var bytes = [UInt8](repeating: 0, count: 4096)
      // SAFETY: the array has room for the bytes asked for, and both arguments live through the
      // call.
      let count = unsafe shim_read_file(path, &bytes, UInt64(bytes.count))
      return count < 0 ? nil : String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }
  }

  /// The topology of the allowed processors, as `contents`, which returns a file's text by its
  /// path, describes them.
  package init(allowed: [Int], contents: (String) -> String?) {
    let nodes = Self.numbers(contents("/sys/devices/system/node/online") ?? "").map { node in
      (node, Set(Self.numbers(contents("/sys/devices/system/node/node\(node)/cpulist") ?? "")))
    }
    self.init(
      allowed.map { number in
        let folder = "/sys/devices/system/cpu/cpu\(number)"
        let siblings = Self.numbers(contents("\(folder)/topology/thread_siblings_list") ?? "")
        let package = Self.numbers(contents("\(folder)/topology/physical_package_id") ?? "").first
        let core = siblings.min() ?? number
        let caches = Self.caches(in: folder, contents)
        return Processor(
          number: number, core: core, l2: caches[2] ?? core,
          // Below every number of a processor, so that it is no other cache.
          l3: caches[3] ?? -1 - (package ?? 0),
          node: nodes.first { $0.1.contains(number) }?.0 ?? 0, package: package ?? 0)
      })
  }

  /// The caches of a processor for data by level; each is named by the lowest processor that shares
  /// it.
  private static func caches(in folder: String, _ contents: (String) -> String?) -> [Int: Int] {
    var caches: [Int: Int] = [:]
    var index = 0
    while let level = contents("\(folder)/cache/index\(index)/level") {
      let kind = contents("\(folder)/cache/index\(index)/type") ?? ""
      let sharers = numbers(contents("\(folder)/cache/index\(index)/shared_cpu_list") ?? "")
      if !kind.hasPrefix("Instruction"), let level = numbers(level).first, let first = sharers.min()
      {
        caches[level] = first
      }
      index += 1
    }
    return caches
  }

  /// Reads `0-3,8`, in the form of the kernel; stops at anything else.
  static func numbers(_ text: String) -> [Int] {
    var numbers: [Int] = []
    for piece in text.prefix(while: { $0 != "\n" }).split(separator: ",") {
      let ends = piece.split(separator: "-").map { Int($0) }
      guard let low = ends.first ?? nil, let high = ends.last ?? nil, low >= 0, low <= high else {
        return numbers
      }
      numbers += low...high
    }
    return numbers
  }

  /// The processors in the affinity mask of the calling thread; processor 0 when the system does
  /// not say.
  private static func allowedProcessors() -> [Int] {
    var numbers = [Int32](repeating: 0, count: 1 << 12)
    // SAFETY: the array has room for as many numbers as the call is told.
    let count = unsafe shim_allowed_processors(&numbers, Int32(numbers.count))
    return count > 0 ? numbers.prefix(Int(count)).map(Int.init) : [0]
  }
}
