// SPDX-License-Identifier: Apache-2.0

/// A short name for what makes a machine comparable with another, free of host names and addresses.
///
/// `h:` and 16 hexadecimal digits: the 64-bit FNV-1a hash of the lines `column=value`, each with
/// its line feed, of `EnvironmentColumn.fingerprint` in that order; a missing value is an empty
/// text. A plain value; any thread. Not cryptographic: it names machines, it hides nothing. Source:
/// Fowler, Noll and Vo, draft-eastlake-fnv.
package struct MachineID: Sendable, Hashable {
  /// The text form.
  package let text: String

  /// Names the machine that the environment describes.
  package init(of environment: EnvironmentRecord) {
    let lines = EnvironmentColumn.fingerprint.map { column in
      "\(column.rawValue)=\(environment[column] ?? "")\n"
    }
    text = "h:" + hexadecimal(fnv1a(lines.joined().utf8))
  }

  /// Reads the text form; nil unless it is `h:` and 16 lower-case hexadecimal digits.
  package init?(text: String) {
    guard text.hasPrefix("h:"), isHexadecimal(String(text.dropFirst(2)), digits: 16) else {
      return nil
    }
    self.text = text
  }
}

/// A number in 16 lower-case hexadecimal digits.
package func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

/// The 64-bit FNV-1a hash of the bytes.
package func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
}
