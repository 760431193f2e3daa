// SPDX-License-Identifier: Apache-2.0

/// Which code a contestant is: what two contestants of one run may differ in.
package struct CodeIdentity: Sendable, Hashable {
  /// 40 hexadecimal digits, or nil outside a repository.
  package var commit: String?
  package var branch: String?
  /// Whether the working tree had changes, nil outside a repository.
  package var isDirty: Bool?
  /// The hash of the executable, see `hash(ofBinary:)`; nil when it cannot be read.
  package var binary: String?
  /// The compiler that built it; nil when that is not known.
  package var toolchain: String?

  package init(
    commit: String? = nil, branch: String? = nil, isDirty: Bool? = nil, binary: String? = nil,
    toolchain: String? = nil
  ) {
    self.commit = commit
    self.branch = branch
    self.isDirty = isDirty
    self.binary = binary
    self.toolchain = toolchain
  }

  /// The name of an executable's content.
  ///
  /// `b:` and the 16 hexadecimal digits of its 64-bit FNV-1a hash. O(bytes).
  package static func hash(ofBinary bytes: [UInt8]) -> String {
    binaryPrefix + hexadecimal(fnv1a(bytes))
  }

  /// Whether a text is one that `hash(ofBinary:)` gives.
  static func isBinaryHash(_ text: String) -> Bool {
    text.hasPrefix(binaryPrefix)
      && isHexadecimal(String(text.dropFirst(binaryPrefix.count)), digits: 16)
  }

  private static let binaryPrefix = "b:"
}
