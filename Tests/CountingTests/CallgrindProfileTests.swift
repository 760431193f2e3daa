// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Counting

@Suite("Files of callgrind") struct CallgrindProfileTests {
  private static let head = """
    # callgrind format
    version: 1
    creator: callgrind-3.19.0
    cmd:  bench __measure hello version=1 allocator=jemalloc
    part: 1

    desc: Trigger: Program termination

    positions: line
    events: Ir Ge
    summary: 1 1


    """
  /// One function calls malloc three times; malloc calls itself through calloc once; a function
  /// without a symbol.
  private static let body = """
    ob=(1) /usr/lib/libfirst.so
    fl=(1) ???
    fn=(1) $s9Workloads5ChainC
    12 100 2
    +3 50
    cob=(2) /usr/lib/libjemalloc.so.2
    cfi=(2) ???
    cfn=(2) malloc
    calls=3 0 
    * 900 9

    ob=(2)
    fn=(2)
    0 700 9
    cfn=(3) calloc
    calls=1 0 
    0 200

    fn=(3)
    0 200

    ob=(1)
    fn=(4) 0x0000000000023380
    -1 7 1
    fn=(5) 0x0000000000023390
    0 3

    """
  private static let totals = "totals: 1060 12\n"

  private func profile(_ text: String) throws -> CallgrindProfile {
    try CallgrindProfile(Array(text.utf8))
  }

  @Test func costsAreThoseOfFunctionsThemselves() throws {
    let profile = try profile(Self.head + Self.body + Self.totals)
    #expect(profile.total.instructions == 1060)
    #expect(profile.total.readModifyWrites == 12)
    #expect(
      profile.functions == [
        "$s9Workloads5ChainC": 150, "malloc": 700, "calloc": 200,
        "functions without a symbol in libfirst.so": 10,
      ])
  }

  @Test func anAllocationIsACallFromOutsideOfTheAllocator() throws {
    #expect(try profile(Self.head + Self.body + Self.totals).allocations == 3)
  }

  @Test func eventsMayStandInAnotherOrder() throws {
    let text = Self.head.replacing("events: Ir Ge", with: "events: Ge Ir") + "fn=(1) f\n0 3 4\n"
    let profile = try profile(text + "totals: 3 4\n")
    #expect(profile.total == .init(instructions: 4, readModifyWrites: 3))
  }

  @Test(arguments: [
    ("", "line 1: the file ends without `totals:`"),
    (head + body, "line 39: the file ends without `totals:`"),
    (head + String(body.prefix(200)), "line 28: `c`; expected a line of callgrind's format"),
    (
      head + body.replacing("fn=(3)\n0 200\n", with: "") + totals,
      "line 38: the lines add up to 860 instructions and 12"
    ),
    (head + body + "totals: 1061 12\n", "line 40: the lines add up to 1060 instructions and 12"),
    ("version: 2\n", "line 1: version 2 of the format; expected version 1"),
    ("version: 1\nevents: Ir\n", "line 2: the events are Ir; expected Ir and Ge among them"),
    ("version: 1\npositions: instr line\n", "line 2: positions instr line; expected"),
    ("fn=(1) f\n0 1\n", "line 2: costs before `version:` and `events:`"),
    (head + "0 1\n", "line 13: `0 1`; expected `fn=` before the first costs"),
    (head + "fn=(9)\n", "line 13: the name (9) was not given before"),
    (head + "fn=(1) f\n0 many\n", "line 14: `many`; expected a whole number"),
    (head + "fn=(1) f\n0 -1\n", "line 14: `-1`; expected a whole number"),
    (head + "fn=(1) f\ncalls=1 0\n", "line 14: `1 0`; expected a number of calls behind its"),
    (head + "fn=(1) f\ncfn=(2) g\ncalls=x 0\n", "line 15: `x 0`; expected a number of calls"),
    (head + "what is this\n", "line 13: `what is this`; expected a line of callgrind's format"),
  ])
  func whatIsWrongIsNamedWithItsLine(text: String, expected: String) {
    let error = #expect(throws: CallgrindError.self) { try profile(text) }
    #expect(error?.description.hasPrefix(expected) == true, "\(String(describing: error))")
  }
}
