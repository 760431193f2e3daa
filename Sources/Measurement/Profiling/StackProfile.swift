// SPDX-License-Identifier: Apache-2.0

/// What was found on stacks: for each different one how often, or how much.
package struct StackProfile: Sendable, Equatable {
  /// A function and what is its own, without what it called.
  package struct Share: Sendable, Equatable {
    package let function: String
    package let own: UInt64
  }

  /// The weight of each stack; frames from the outermost on, with semicolons between them.
  package private(set) var stacks: [String: UInt64] = [:]

  /// All weights together.
  package var total: UInt64 { stacks.values.reduce(0, +) }

  package init() {}

  /// The samples that `perf script -F comm,tid,ip,sym` prints.
  ///
  /// Each is a line with the thread, a line for each frame from the innermost on, and an empty
  /// line. The thread's name becomes the outermost frame.
  package init(perfScript text: String) {
    var thread: String?
    var frames: [String] = []
    func close(_ stacks: inout [String: UInt64]) {
      guard let name = thread else { return }
      stacks[([name] + frames.reversed()).joined(separator: ";"), default: 0] += 1
      thread = nil
      frames = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.isEmpty {
        close(&stacks)
      } else if thread == nil {
        // The last word is the number of the thread; its name may have spaces.
        thread = Self.frame(words.dropLast())
      } else {
        // The first word is the address.
        frames.append(Self.frame(words.dropFirst()))
      }
    }
    close(&stacks)
  }

  /// Folded stacks: a line for each stack, its weight behind the last space.
  package init(folded text: String) {
    for line in text.split(separator: "\n") {
      guard let space = line.lastIndex(of: " "),
        let weight = UInt64(line[line.index(after: space)...])
      else { continue }
      stacks[String(line[..<space]), default: 0] += weight
    }
  }

  /// The stacks that `jeprof --collapsed` prints, each without the runtime's own frames at its end,
  /// so that what is left owns what it allocated.
  package init(jeprof text: String) {
    for (stack, weight) in StackProfile(folded: text).stacks {
      var frames = stack.split(separator: ";").map(Self.withoutAddress)
      while frames.count > 1, let leaf = frames.last, Self.allocates(leaf) { frames.removeLast() }
      stacks[frames.joined(separator: ";"), default: 0] += weight
    }
  }

  /// The form that flame graph programs read, the lines in order.
  package var folded: [UInt8] {
    stacks.sorted { $0.key < $1.key }.flatMap { Array("\($0.key) \($0.value)\n".utf8) }
  }

  /// The functions with most of their own, the first first.
  package func heaviest(_ count: Int) -> [Share] {
    var own: [String: UInt64] = [:]
    for (stack, weight) in stacks {
      let leaf = stack.split(separator: ";").last ?? ""
      own[String(leaf), default: 0] += weight
    }
    let shares = own.map { Share(function: $0.key, own: $0.value) }
    return Array(shares.sorted { ($1.own, $0.function) < ($0.own, $1.function) }.prefix(count))
  }

  /// A name of jeprof without what tells functions of equal names apart: an address or `[inline]`.
  private static func withoutAddress(_ frame: Substring) -> Substring {
    if frame.hasSuffix("[inline]") { return frame.dropLast("[inline]".count) }
    guard frame.last == ">", let opening = frame.lastIndex(of: "<") else { return frame }
    let address = frame[frame.index(after: opening)...].dropLast()
    return address.count == 16 && address.allSatisfy(\.isHexDigit) ? frame[..<opening] : frame
  }

  /// Whether a function only hands the call on to the allocator.
  private static func allocates(_ function: Substring) -> Bool {
    let runtime: Set<Substring> = [
      "swift_slowAlloc", "swift_slowAllocTyped", "swift_allocObject", "_swift_allocObject_",
      "swift_allocBox", "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc",
    ]
    return runtime.contains(function) || function.hasPrefix("operator new")
  }

  private static func frame(_ words: ArraySlice<Substring>) -> String {
    let name = words.joined(separator: " ")
    return name.isEmpty ? "[unknown]" : name.replacing(";", with: ":")
  }
}
