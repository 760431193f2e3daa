// SPDX-License-Identifier: Apache-2.0

/// A moment in whole seconds, written as ISO 8601 in UTC: `2026-01-31T12:00:00Z`.
///
/// Proleptic Gregorian calendar, years 1970 to 9999, no leap seconds. A plain value; the clock is
/// the caller's.
package struct Timestamp: Sendable, Hashable, Comparable {
  /// Seconds since the start of 1970.
  package let unixSeconds: Int64

  private static let limit: Int64 = 253_402_300_800  // the start of the year 10000

  /// Whether such a moment exists, as it does not for a clock that was never set.
  package static func exists(unixSeconds: Int64) -> Bool { (0..<limit).contains(unixSeconds) }

  /// Makes a moment; stops the process outside the years 1970 to 9999.
  package init(unixSeconds: Int64) {
    guard Self.exists(unixSeconds: unixSeconds) else {
      fatalError(
        "Timestamp: \(unixSeconds) seconds since 1970; expected a moment from 1970 to 9999; "
          + "look at the clock of this machine")
    }
    self.unixSeconds = unixSeconds
  }

  /// Reads the text form; nil unless it is exactly `YYYY-MM-DDTHH:MM:SSZ` and such a moment exists.
  package init?(text: String) {
    let bytes = Array(text.utf8)
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    guard bytes.count == pattern.count else { return nil }
    for (byte, wanted) in zip(bytes, pattern) {
      guard wanted == UInt8(ascii: "0") ? isDigit(byte) : byte == wanted else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard year >= 1970, (1...12).contains(month), day >= 1, day <= Self.days(year, month),
      hour < 24, minute < 60, second < 60
    else { return nil }
    unixSeconds =
      Self.daysBefore(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60
      + second
  }

  /// The text form.
  package var text: String {
    let (year, month, day) = Self.date(daysSince1970: unixSeconds / 86_400)
    let second = unixSeconds % 86_400
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let time =
      "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    return "\(date)T\(time)Z"
  }

  package static func < (earlier: Timestamp, later: Timestamp) -> Bool {
    earlier.unixSeconds < later.unixSeconds
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func days(_ year: Int64, _ month: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func daysBefore(year: Int64, month: Int64, day: Int64) -> Int64 {
    let past = year - 1
    let beforeYear = past * 365 + past / 4 - past / 100 + past / 400 - 719_162
    return (1..<month).reduce(beforeYear + day - 1) { $0 + days(year, $1) }
  }

  private static func date(daysSince1970: Int64) -> (Int64, Int64, Int64) {
    // A first guess that is never too late, since no year is longer than 366 days.
    var year = 1970 + daysSince1970 / 366
    while daysBefore(year: year + 1, month: 1, day: 1) <= daysSince1970 { year += 1 }
    var month: Int64 = 1
    while month < 12, daysBefore(year: year, month: month + 1, day: 1) <= daysSince1970 {
      month += 1
    }
    return (year, month, daysSince1970 - daysBefore(year: year, month: month, day: 1) + 1)
  }

  private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
