// SPDX-License-Identifier: Apache-2.0

/// The build statements of a manifest: which edge makes which path out of which.
struct NinjaManifest {
  /// Every path named by a build statement.
  private(set) var paths = NameTable()

  /// Per path: the edge that makes it, or -1.
  private(set) var producer: [Int32] = []

  /// Per edge: whether its rule is `phony`.
  private(set) var isPhony: [Bool] = []

  /// Per edge: its first output.
  private(set) var firstOutput: [Int32] = []

  /// Per edge: the paths it waits for, explicit, implicit and order-only.
  private(set) var inputs = DependencyLists()

  /// Build statements with a `dyndep` file, whose dependencies are not known here.
  var dyndepStatements = 0

  /// Value of the variable `builddir` at the end, empty if not set.
  var buildDirectory = ""

  /// Build statements so far.
  var edgeCount: Int { isPhony.count }

  /// Adds an input of the edge being built.
  mutating func addInput(_ path: [UInt8]) { inputs.append(intern(path)) }

  /// Adds an output of the edge being built; false when another statement makes it.
  mutating func addOutput(_ path: [UInt8], isFirst: Bool) -> Bool {
    let index = intern(path)
    if isFirst { firstOutput.append(index) }
    if producer[Int(index)] >= 0 { return false }
    producer[Int(index)] = Int32(edgeCount)
    return true
  }

  /// Ends the edge being built.
  mutating func closeEdge(isPhony phony: Bool) {
    isPhony.append(phony)
    inputs.closeNode()
  }

  private mutating func intern(_ path: [UInt8]) -> Int32 {
    let (index, isNew) = paths.intern(path[...])
    if isNew { producer.append(-1) }
    return Int32(index)
  }
}
