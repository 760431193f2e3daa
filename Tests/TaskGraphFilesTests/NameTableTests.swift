// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TaskGraphFiles

@Suite struct NameTableTests {
  @Test func namesAreNumberedInOrderOfAppearanceAcrossGrowth() {
    var table = NameTable()
    for round in 0..<2 {
      for number in 0..<5_000 {
        let (index, isNew) = table.intern(Array("name \(number)".utf8)[...])
        #expect(index == number)
        #expect(isNew == (round == 0))
      }
    }
    #expect(table.count == 5_000)
    #expect(table.name(4_321) == "name 4321")
    #expect(table.find(Array("name 77".utf8)[...]) == 77)
    #expect(table.find(Array("name 5000".utf8)[...]) == nil)
  }

  @Test func namesThatDifferInOneByteOrInZerosStayApart() {
    var table = NameTable()
    let names: [[UInt8]] = [
      [], [0], [0, 0], [1], [0, 1], Array(repeating: 0, count: 8), Array(repeating: 0, count: 9),
    ]
    for (number, name) in names.enumerated() { #expect(table.intern(name[...]).index == number) }
    for (number, name) in names.enumerated() { #expect(table.find(name[...]) == number) }
  }
}

@Suite struct NinjaPathTests {
  @Test(arguments: [
    ("a", "a"), ("./a", "a"), ("a/./b//c/", "a/b/c"), ("a/../b", "b"), ("../a", "../a"),
    ("../../a/..", "../.."),
    ("a/..", "."), (".", "."), ("/", "/"), ("/a/..", "/"), ("/../a", "/a"), ("//a", "/a"),
    ("...", "..."), (".a/..b", ".a/..b"),
  ])
  func pathsTakeTheirCanonicalForm(path: String, expected: String) {
    var canonical = NinjaPath()
    canonical.canonicalize(Array(path.utf8))
    #expect(String(decoding: canonical.bytes, as: UTF8.self) == expected)
  }
}
