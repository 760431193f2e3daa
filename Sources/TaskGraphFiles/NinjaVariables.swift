// SPDX-License-Identifier: Apache-2.0

/// The variables and rules of a manifest: one scope per file read with `subninja`, the first for
/// the main file.
struct NinjaVariables {
  private struct Scope {
    let parent: Int?
    var values: [Int32: Range<Int>] = [:]
    var rules: Set<Int32> = []
  }

  private var scopes = [Scope(parent: nil)]
  private var names = NameTable()
  private var arena: [UInt8] = []

  /// Values of the build statement at hand, which come before those of its scope.
  private var local: [Int32: Range<Int>] = [:]
  private var localArena: [UInt8] = []

  /// Distinct names of variables and rules so far.
  var nameCount: Int { names.count }

  /// Opens a scope inside `parent` and returns it.
  mutating func makeScope(in parent: Int) -> Int {
    scopes.append(Scope(parent: parent))
    return scopes.count - 1
  }

  /// Sets a variable for the rest of the scope.
  mutating func set(_ name: ArraySlice<UInt8>, to value: [UInt8], in scope: Int) {
    let start = arena.count
    arena.append(contentsOf: value)
    scopes[scope].values[Int32(names.intern(name).index)] = start..<arena.count
  }

  /// Sets a variable for the build statement at hand.
  mutating func setLocal(_ name: ArraySlice<UInt8>, to value: [UInt8]) {
    let start = localArena.count
    localArena.append(contentsOf: value)
    local[Int32(names.intern(name).index)] = start..<localArena.count
  }

  /// Forgets the values of the build statement.
  mutating func clearLocal() {
    if local.isEmpty { return }
    // Clearing in place costs the capacity, so one huge statement must not make all later ones pay.
    local.removeAll(keepingCapacity: local.capacity <= 64)
    localArena.removeAll(keepingCapacity: localArena.capacity <= 4_096)
  }

  /// Appends the value of a variable, nothing if it is not set, and returns its length.
  ///
  /// The values of the build statement count only if `withLocal`. O(depth of scopes + length).
  func append(_ name: ArraySlice<UInt8>, in scope: Int, withLocal: Bool, to text: inout [UInt8])
    -> Int
  {
    guard let index = names.find(name).map({ Int32($0) }) else { return 0 }
    if withLocal, let range = local[index] {
      text.append(contentsOf: localArena[range])
      return range.count
    }
    var current: Int? = scope
    while let candidate = current {
      if let range = scopes[candidate].values[index] {
        text.append(contentsOf: arena[range])
        return range.count
      }
      current = scopes[candidate].parent
    }
    return 0
  }

  /// Declares a rule; false when the scope has it already.
  mutating func declareRule(_ name: ArraySlice<UInt8>, in scope: Int) -> Bool {
    scopes[scope].rules.insert(Int32(names.intern(name).index)).inserted
  }

  /// True when the scope or one around it declares the rule.
  func hasRule(_ name: ArraySlice<UInt8>, in scope: Int) -> Bool {
    guard let index = names.find(name).map({ Int32($0) }) else { return false }
    var current: Int? = scope
    while let candidate = current {
      if scopes[candidate].rules.contains(index) { return true }
      current = scopes[candidate].parent
    }
    return false
  }
}
