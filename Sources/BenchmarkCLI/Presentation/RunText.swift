// SPDX-License-Identifier: Apache-2.0

/// Numbers of things in sentences.
enum RunText {
  /// `1 round`, `6 rounds`.
  static func rounds(_ count: Int) -> String { "\(count) round\(count == 1 ? "" : "s")" }

  /// `1 complete round`, `6 complete rounds`.
  static func complete(_ count: Int) -> String { "\(count) complete round\(count == 1 ? "" : "s")" }

  /// `1 process`, `24 processes`.
  static func processes(_ count: Int) -> String { "\(count) process\(count == 1 ? "" : "es")" }
}
