// SPDX-License-Identifier: Apache-2.0

/// What callgrind says about one process: how many instructions and atomic read-modify-writes it
/// took, in which functions, and how often it allocated.
///
/// A value; any thread.
package struct CallgrindProfile: Sendable, Equatable {
  /// Costs of a process or of a function.
  package struct Costs: Sendable, Hashable {
    /// Instructions executed.
    package var instructions = 0
    /// Instructions that locked the bus.
    package var readModifyWrites = 0
  }

  /// The whole process.
  package private(set) var total = Costs()
  /// Instructions in each function itself, without what it calls, by the name of its symbol; one
  /// that the compiler inlined counts to the function that it was inlined into.
  package private(set) var functions: [String: Int] = [:]
  /// Calls of an allocation function from outside of the allocator.
  package private(set) var allocations = 0

  /// Names of the functions that allocate, as the symbols of the C library and jemalloc have them.
  package static let allocators: Set<String> = [
    "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign",
  ]

  /// Reads a file of callgrind, written with `--collect-bus=yes`.
  ///
  /// Throws the first of what is wrong with it; a file that was cut off has no totals, or other
  /// ones than its lines add up to. O(bytes).
  package init(_ bytes: [UInt8]) throws(CallgrindError) {
    var reader = Reader()
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      do throws(Complaint) { try reader.read(String(decoding: line, as: UTF8.self)[...]) } catch {
        throw CallgrindError(
          line: number, finding: error.finding, expectation: error.expectation)
      }
    }
    guard let stated = reader.stated else {
      throw CallgrindError(
        line: number, finding: "the file ends without `totals:`",
        expectation: "a whole file; the process may have been killed while it wrote")
    }
    guard stated == reader.sum else {
      throw CallgrindError(
        line: number,
        finding: "the lines add up to \(reader.sum.instructions) instructions and "
          + "\(reader.sum.readModifyWrites) bus events",
        expectation: "\(stated.instructions) and \(stated.readModifyWrites), as `totals:` says")
    }
    total = stated
    functions = reader.functions
    allocations = reader.allocations
  }
}

/// What is wrong with a file of callgrind.
package struct CallgrindError: Error, Hashable, CustomStringConvertible {
  /// Counted from 1.
  package let line: Int
  /// What was found there.
  package let finding: String
  /// What was expected.
  package let expectation: String

  /// Line, finding and expectation.
  package var description: String { "line \(line): \(finding); expected \(expectation)" }
}

/// What is wrong with the line at hand.
private struct Complaint: Error {
  let finding: String
  let expectation: String
}

/// The state of reading: which function the next line is about, and what the numbers stand for.
private struct Reader {
  private(set) var sum = CallgrindProfile.Costs()
  private(set) var stated: CallgrindProfile.Costs?
  private(set) var functions: [String: Int] = [:]
  private(set) var allocations = 0
  private var sawVersion = false
  /// Places of the two events among the costs of a line, the position's word not counted.
  private var instructionsPlace: Int?
  private var busPlace: Int?
  private var names: [Substring: String] = [:]
  private var objects: [Substring: String] = [:]
  private var object = ""
  private var function: String?
  private var callee: String?
  /// The next line says what a call cost, which its callee's own lines say again.
  private var isCost = true

  mutating func read(_ line: Substring) throws(Complaint) {
    guard let first = line.utf8.first else { return }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "*"):
      try readCosts(line)
    default:
      if let colon = line.firstIndex(of: ":"), !line[..<colon].contains("=") {
        try readHeader(
          line[..<colon], line[line.index(after: colon)...])
      } else if let equals = line.firstIndex(of: "=") {
        try readPlace(line[..<equals], line[line.index(after: equals)...])
      } else if first != UInt8(ascii: "#") {
        throw Complaint(finding: quoted(line), expectation: "a line of callgrind's format")
      }
    }
  }

  private mutating func readHeader(_ key: Substring, _ value: Substring) throws(Complaint) {
    switch key {
    case "version":
      guard value == " 1" else {
        throw Complaint(finding: "version\(value) of the format", expectation: "version 1")
      }
      sawVersion = true
    case "events":
      let events = value.split(separator: " ")
      instructionsPlace = events.firstIndex(of: "Ir")
      busPlace = events.firstIndex(of: "Ge")
      guard instructionsPlace != nil, busPlace != nil else {
        throw Complaint(
          finding: "the events are \(events.joined(separator: " "))",
          expectation: "Ir and Ge among them, as with --collect-bus=yes")
      }
    case "positions":
      guard value == " line" else {
        throw Complaint(finding: "positions\(value)", expectation: "positions line")
      }
    case "totals": stated = try costs(value.split(separator: " ")[...])
    default: break
    }
  }

  private mutating func readPlace(_ key: Substring, _ value: Substring) throws(Complaint) {
    switch key {
    case "ob": object = try name(value, in: &objects)
    // A callee's object may be named here first.
    case "cob": _ = try name(value, in: &objects)
    case "fn": function = shown(try name(value, in: &names), object)
    case "cfn": callee = try name(value, in: &names)
    case "calls":
      guard let calls = value.split(separator: " ").first.flatMap({ Int($0) }), let callee else {
        throw Complaint(finding: quoted(value), expectation: "a number of calls behind its `cfn=`")
      }
      if CallgrindProfile.allocators.contains(callee),
        !CallgrindProfile.allocators.contains(function ?? "")
      {
        allocations += calls
      }
      self.callee = nil
      isCost = false
    default: break
    }
  }

  private mutating func readCosts(_ line: Substring) throws(Complaint) {
    let words = line.split(separator: " ")
    let costs = try costs(words.dropFirst())
    guard isCost else {
      isCost = true
      return
    }
    guard let function else {
      throw Complaint(finding: quoted(line), expectation: "`fn=` before the first costs")
    }
    sum.instructions += costs.instructions
    sum.readModifyWrites += costs.readModifyWrites
    functions[function, default: 0] += costs.instructions
  }

  /// Costs by event; those that a line leaves out at its end are 0.
  private func costs(_ words: ArraySlice<Substring>) throws(Complaint) -> CallgrindProfile.Costs {
    guard sawVersion, let instructionsPlace, let busPlace else {
      throw Complaint(
        finding: "costs before `version:` and `events:`", expectation: "the header of a file")
    }
    func cost(_ place: Int) throws(Complaint) -> Int {
      guard place < words.count else { return 0 }
      let word = words[words.startIndex + place]
      guard let number = Int(word), number >= 0 else {
        throw Complaint(finding: quoted(word), expectation: "a whole number, 0 or more")
      }
      return number
    }
    return CallgrindProfile.Costs(
      instructions: try cost(instructionsPlace), readModifyWrites: try cost(busPlace))
  }

  /// The name behind `fn=` and the like: `(7) malloc` the first time, `(7)` from then on.
  private func name(
    _ text: Substring, in table: inout [Substring: String]
  ) throws(Complaint) -> String {
    guard text.first == "(", let end = text.firstIndex(of: ")") else { return String(text) }
    let number = text[..<end]
    let rest = text[text.index(after: end)...].drop { $0 == " " }
    if !rest.isEmpty { table[number] = String(rest) }
    guard let name = table[number] else {
      throw Complaint(
        finding: "the name \(number)) was not given before", expectation: "its text where it is new"
      )
    }
    return name
  }

  /// A function without a symbol is an address, which means something within its object alone.
  private func shown(_ name: String, _ object: String) -> String {
    guard name.hasPrefix("0x") || name == "???" else { return name }
    return "functions without a symbol in \(object.split(separator: "/").last ?? "???")"
  }

  private func quoted(_ text: Substring) -> String { "`\(text.prefix(60))`" }
}
