// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("HdrHistogram layout and encoding")
struct HdrHistogramTests {
  private func layout(
    _ lowest: Int64 = 1, _ highest: Int64 = 1_000_000_000, _ digits: Int = 3
  ) throws -> HdrHistogram.Layout {
    try #require(
      HdrHistogram.Layout(
        lowestDiscernible: lowest, highestTrackable: highest, significantDigits: digits))
  }

  private func recorded(_ row: Reference.Row) throws -> HdrHistogram {
    var histogram = HdrHistogram(
      layout: try layout(Int64(row.given[0]), Int64(row.given[1]), Int(row.given[2])))
    for (place, figure) in row.given.dropFirst(3).enumerated() {
      // Every fourth figure counts often, as in the script that made the row.
      let digits = place.isMultiple(of: 4) ? place % 12 : 0
      let count = (0..<digits).reduce(Int64(1)) { many, _ in many * 10 }
      try histogram.record(Int64(figure), count: count)
    }
    return histogram
  }

  @Test("buckets, moments and bytes agree with the published Python implementation")
  func agreesWithPython() throws {
    for row in try Reference.rows("histogram") {
      let histogram = try recorded(row)
      #expect(histogram.layout.bucketCount == Int(row.expected[0]))
      #expect(histogram.totalCount == Int64(row.expected[1]))
      #expect(Double(histogram.minimum ?? 0) == row.expected[2])
      #expect(Double(histogram.maximum ?? 0) == row.expected[3])
      #expect(agrees(histogram.mean ?? 0, row.expected[4]))
      #expect(agrees(histogram.standardDeviation ?? 0, row.expected[5], within: 1e-9))
      #expect(histogram.encodedV2() == row.bytes)
      #expect(try HdrHistogram(encodedV2: row.bytes) == histogram)
    }
  }

  @Test("percentiles agree with the published Python implementation")
  func agreesOnPercentiles() throws {
    for row in try Reference.rows("percentiles") {
      var histogram = HdrHistogram(layout: try layout())
      for figure in row.given { try histogram.record(Int64(figure)) }
      for index in stride(from: 0, to: row.expected.count, by: 2) {
        let value = try #require(histogram.value(row.expected[index] / 100))
        #expect(Double(value) == row.expected[index + 1], "percentile \(row.expected[index])")
      }
    }
  }

  @Test("every figure lies in its bucket, and the width keeps the digits", arguments: 1...5)
  func keepsDigits(digits: Int) throws {
    let layout = try layout(1, .max, digits)
    var allowed = 1.0
    for _ in 0..<digits { allowed /= 10 }
    var generator = SplitMix64(seed: UInt64(digits))
    let edges: [Int64] = [0, 1, 2, 1_999, 2_000, 2_047, 2_048, .max / 2, .max - 1, .max]
    for figure in edges + (0..<300).map({ Int64(bitPattern: generator.next() >> (1 + $0 % 63)) }) {
      let index = try #require(layout.index(of: figure))
      let low = layout.lowestFigure(at: index)
      let high = layout.highestFigure(at: index)
      #expect(low <= figure && figure <= high)
      #expect(Double(high - low) <= allowed * Double(max(1, low)))
      #expect(layout.index(of: low) == index && layout.index(of: high) == index)
      if index > 0 { #expect(layout.highestFigure(at: index - 1) == low - 1) }
    }
    #expect(layout.index(of: .max) == layout.bucketCount - 1)
  }

  @Test("quantiles are nearest ranks of the figures, to the width of a bucket")
  func takesNearestRanks() throws {
    var generator = SplitMix64(seed: 3)
    let figures = (0..<777).map { _ in Int64(generator.index(below: 5_000_000)) }
    let layout = try layout()
    var histogram = HdrHistogram(layout: layout)
    for figure in figures { try histogram.record(figure) }
    for p in [0.001, 0.1, 0.333, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = Percentile.nearestRank(p, ofSorted: figures.sorted())
      let index = try #require(layout.index(of: exact))
      #expect(histogram.value(p) == layout.highestFigure(at: index))
    }
  }

  @Test("merging in any order or grouping equals recording everything at once")
  func mergesAnyWay() throws {
    var generator = SplitMix64(seed: 4)
    var parts = Array(repeating: HdrHistogram(layout: try layout()), count: 3)
    var whole = parts[0]
    for round in 0..<600 {
      let figure = Int64(generator.index(below: 900_000_000))
      try parts[round % 3].record(figure)
      try whole.record(figure)
    }
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
      var merged = HdrHistogram(layout: try layout())
      for part in order { try merged.merge(parts[part]) }
      #expect(merged == whole)
    }
  }

  @Test("a coarser histogram takes what it can hold, or nothing")
  func mergesAcrossLayouts() throws {
    var fine = HdrHistogram(layout: try layout(1, 1_000_000, 4))
    for figure in [5, 123_456, 999_999] { try fine.record(Int64(figure)) }
    var coarse = HdrHistogram(layout: try layout(1, 10_000_000, 1))
    try coarse.merge(fine)
    #expect(coarse.totalCount == 3)
    #expect(coarse.count(at: 123_456) == 1)
    var small = HdrHistogram(layout: try layout(1, 1_000, 2))
    try small.record(7)
    let before = small
    #expect(throws: HdrHistogram.Failure.self) { try small.merge(fine) }
    #expect(small == before)
  }

  @Test("figures and totals beyond the range are refused and change nothing")
  func refusesOutOfRange() throws {
    var histogram = HdrHistogram(layout: try layout(1, 1_000, 2))
    #expect(throws: HdrHistogram.Failure.outOfRange(-1)) { try histogram.record(-1) }
    #expect(throws: HdrHistogram.Failure.outOfRange(1 << 40)) { try histogram.record(1 << 40) }
    #expect(histogram.value(0.5) == nil && histogram.mean == nil)
    try histogram.record(3, count: .max)
    #expect(throws: HdrHistogram.Failure.overflow) { try histogram.record(3) }
    #expect(histogram.totalCount == .max)
  }

  @Test("a percentile is shown only with ten figures beyond it")
  func supportsTails() throws {
    var histogram = HdrHistogram(layout: try layout())
    try histogram.record(100, count: 999)
    #expect(histogram.supportedValue(0.99) == nil)
    #expect(histogram.supportedValue(0.5) == 100)
    try histogram.record(200)
    #expect(histogram.supportedValue(0.99) == 100)
    #expect(histogram.supportedValue(0.999) == nil)
    #expect(histogram.supportedValue(1) == 200)
  }

  @Test("layouts that cannot exist are refused")
  func refusesLayouts() {
    for (lowest, highest, digits) in [
      (0, 10, 3), (6, 11, 3), (1, 10, 0), (1, 10, 6), (1 << 60, Int64.max, 5),
    ] as [(Int64, Int64, Int)] {
      #expect(
        HdrHistogram.Layout(
          lowestDiscernible: lowest, highestTrackable: highest, significantDigits: digits) == nil)
    }
  }

  @Test("numbers keep their bits through ZigZag LEB128, in one to nine bytes")
  func encodesNumbers() {
    let expected: [(Int64, [UInt8])] = [
      (0, [0]), (-1, [1]), (1, [2]), (-64, [0x7f]), (64, [0x80, 1]),
      (.max, [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      (.min, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    ]
    for (number, bytes) in expected {
      var encoded: [UInt8] = []
      ZigZagLEB128.append(number, to: &encoded)
      #expect(encoded == bytes)
      var offset = 0
      #expect(ZigZagLEB128.read(bytes, at: &offset) == number)
      #expect(offset == bytes.count)
    }
  }

  @Test("every damaged encoding is refused for its own reason, none is misread")
  func refusesDamage() throws {
    var histogram = HdrHistogram(layout: try layout(1, 1_000, 1))
    try histogram.record(100, count: 500)
    let bytes = histogram.encodedV2()
    #expect(bytes.count == 43)
    func failure(_ change: (inout [UInt8]) -> Void) -> HdrHistogram.DecodingFailure? {
      var damaged = bytes
      change(&damaged)
      do throws(HdrHistogram.DecodingFailure) {
        _ = try HdrHistogram(encodedV2: damaged)
        return nil
      } catch {
        return error
      }
    }
    for length in 0..<bytes.count {
      #expect(failure { $0.removeLast(bytes.count - length) } == .truncated(offset: length))
    }
    #expect(failure { $0.append(0) } == .trailingBytes(offset: 43))
    #expect(failure { $0[3] ^= 1 } == .unknownCookie(0x1c84_9312))
    // Another word size nibble is the same encoding.
    #expect(failure { $0[3] ^= 0x90 } == nil)
    for place in [11, 15, 16, 24, 39] {
      #expect(failure { $0[place] ^= 0x80 } == .unsupportedHeader, "byte \(place)")
    }
    // A payload whose last number does not end.
    #expect(failure { $0[42] |= 0x80 } == .truncated(offset: 41))
    // A run of empty buckets beyond the range, then too many counts.
    #expect(
      failure {
        $0[7] = 2
        $0.replaceSubrange(40..., with: [0xff, 0x7f])
      } == .tooManyCounts(offset: 40))
    #expect(
      failure {
        $0[7] = 18
        var counts: [UInt8] = []
        ZigZagLEB128.append(.max, to: &counts)
        $0.replaceSubrange(40..., with: counts + counts)
      } == .totalOverflows(offset: 49))
  }
}
