// SPDX-License-Identifier: Apache-2.0

/// Bytes in the making: whole numbers in as few bytes as they need, and columns of them.
///
/// A number has seven bits a byte, the lowest first; the top bit says that more follow. Signed
/// numbers alternate, 0, -1, 1, -2, so that small ones are short whatever their sign.
struct VarintWriter {
  private(set) var bytes: [UInt8] = []

  mutating func unsigned(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func signed(_ value: Int64) {
    unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  mutating func count(_ value: Int) { unsigned(UInt64(value)) }

  mutating func text(_ value: String) {
    let text = Array(value.utf8)
    count(text.count)
    bytes += text
  }

  /// Bytes with their number in front.
  mutating func block(_ block: [UInt8]) {
    count(block.count)
    bytes += block
  }

  /// One number a row, each as its difference from the row before.
  mutating func differences(_ rows: Int, _ value: (Int) -> Int64) {
    var last: Int64 = 0
    for row in 0..<rows {
      let next = value(row)
      signed(next &- last)
      last = next
    }
  }

  /// As differences, or as runs of equal values where that is shorter.
  mutating func column(_ rows: Int, _ value: (Int) -> Int64) {
    var runs = 0
    var last: Int64 = 0
    for row in 0..<rows {
      let next = value(row)
      if row == 0 || next != last { runs += 1 }
      last = next
    }
    // A run takes two numbers where a difference takes one.
    guard runs <= rows / 2 else {
      bytes.append(ColumnForm.differences.rawValue)
      differences(rows, value)
      return
    }
    bytes.append(ColumnForm.runs.rawValue)
    self.runs(rows, value)
  }

  /// Runs of equal values: the difference from the run before, and the length.
  private mutating func runs(_ rows: Int, _ value: (Int) -> Int64) {
    var before: Int64 = 0
    var row = 0
    while row < rows {
      let this = value(row)
      var end = row + 1
      while end < rows, value(end) == this { end += 1 }
      signed(this &- before)
      count(end - row)
      before = this
      row = end
    }
  }
}

/// How the rows of a column lie in the file.
enum ColumnForm: UInt8 {
  case differences = 0
  case runs = 1
}
