// SPDX-License-Identifier: Apache-2.0

/// Turns the seconds of a file into whole nanoseconds.
enum RecordedDuration {
  /// Longest number text that is looked at.
  static let longestText = 1_000

  /// What a duration must be, for messages.
  static let expectation = "seconds as a decimal number from 0 to 9000000000, such as 0.25"

  /// Nanoseconds, or what is wrong with `seconds`.
  static func nanoseconds(seconds: Double) -> Result<Int64, Fault> {
    if seconds.isNaN { return .failure(Fault(finding: "the duration is not a number (NaN)")) }
    if seconds < 0 { return .failure(Fault(finding: "the duration is negative (\(seconds))")) }
    if seconds.isInfinite { return .failure(Fault(finding: "the duration is infinite")) }
    if seconds > 9_000_000_000 {
      return .failure(Fault(finding: "the duration is \(seconds) s, over 285 years"))
    }
    return .success(Int64((seconds * 1e9).rounded()))
  }

  /// Nanoseconds from decimal text in seconds, or what is wrong with it.
  static func nanoseconds(text: ArraySlice<UInt8>) -> Result<Int64, Fault> {
    if text.count > longestText {
      return .failure(Fault(finding: "the duration has \(text.count) characters"))
    }
    let string = String(decoding: text, as: UTF8.self)
    let isDecimal = text.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".+-eE".utf8.contains(byte)
    }
    if let seconds = Double(string), isDecimal || !seconds.isFinite {
      return nanoseconds(seconds: seconds)
    }
    return .failure(Fault(finding: "the duration \"\(printable(string))\" is not a decimal number"))
  }

  /// Why a number is not a duration.
  struct Fault: Error {
    let finding: String
  }
}
