// SPDX-License-Identifier: Apache-2.0

import Encodings
import ExportSamples
import Statistics
import Testing

@testable import Exports

@Suite("Histograms as text")
struct HistogramTextTests {
  private typealias Failure = HdrHistogram.CompressedDecodingFailure

  @Test("what the published Python implementation compresses reads back as the same histogram")
  func readsPython() throws {
    for row in try Reference.rows("compressed") {
      let histogram = try HdrHistogram(encodedCompressedV2: row.text)
      #expect(histogram == (try row.histogram()))
      #expect(histogram.totalCount == Int64(row.expected[0]))
    }
  }

  @Test("what is written reads back as the same histogram, and has the header of the format")
  func roundTrips() throws {
    for row in try Reference.rows("compressed") {
      let histogram = try row.histogram()
      let text = histogram.encodedCompressedV2()
      #expect(try HdrHistogram(encodedCompressedV2: text) == histogram)
      let bytes = try Base64.decoded(text)
      #expect(Array(bytes[..<4]) == [0x1c, 0x84, 0x93, 0x14])
      #expect(bytes[4..<8].reduce(0) { $0 << 8 | Int($1) } == bytes.count - 8)
    }
  }

  @Test("the percentile text is that of HdrHistogram's tools")
  func writesPercentiles() throws {
    for row in try Reference.rows("percentile-text") {
      let text = try row.histogram().percentileText(valueScale: row.expected[0])
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      #expect(lines == row.lines + [""])
    }
  }

  @Test("the plotter finds four numbers in every line before the last, with growing percentiles")
  func suitsThePlotter() throws {
    let lines = ExportSamples.histogram().percentileText().split(separator: "\n").dropFirst()
    let rows = lines.filter { !$0.hasPrefix("#") }.map { line in
      line.split(separator: " ").map { Double($0) ?? .nan }
    }
    #expect(rows.dropLast().allSatisfy { $0.count == 4 && $0.allSatisfy(\.isFinite) })
    #expect(rows.last?.count == 3)
    #expect(rows.map { $0[1] } == rows.map { $0[1] }.sorted())
    #expect(rows.last?[1] == 1)
    #expect(rows.last?[2] == Double(ExportSamples.histogram().totalCount))
  }

  @Test("decimals are those that printf writes")
  func formatsDecimals() throws {
    for row in try Reference.rows("fixed") {
      #expect(fixedDecimal(row.given[0], decimals: Int(row.given[1])) == row.text)
    }
    #expect(fixedDecimal(3.14159, decimals: 2, width: 7) == "   3.14")
  }

  @Test("base 64 takes any bytes, and no text that another encoder would not write")
  func checksBase64() throws {
    let known: [(String, String)] = [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
    for (bytes, text) in known {
      #expect(Base64.encoded(Array(bytes.utf8)) == text)
      #expect(try Base64.decoded(text) == Array(bytes.utf8))
    }
    let all = (0...255).map { UInt8($0) }
    #expect(try Base64.decoded(Base64.encoded(all)) == all)
    let damaged: [(String, Int)] = [
      ("Z", 0), ("Zg", 2), ("Zg=", 3), ("Zg===", 4), ("Zh==", 1), ("Zm9", 2), ("Zm8", 3),
      ("Zm9=", 2),
      ("Zm9v\n", 4), ("Zm 9", 2), ("=Zm9", 0), ("====", 0), ("Zm9ö", 3), ("Zg==Zg==", 4),
    ]
    for (text, offset) in damaged {
      #expect(throws: Base64.Failure(offset: offset), "\(text)") { try Base64.decoded(text) }
    }
  }

  @Test("every damaged text is refused with its place, none is misread")
  func refusesDamage() throws {
    let bytes = try Base64.decoded(ExportSamples.histogram().encodedCompressedV2())
    func failure(_ change: (inout [UInt8]) -> Void) -> Failure? {
      var damaged = bytes
      change(&damaged)
      return failureOf(Base64.encoded(damaged))
    }
    func failureOf(_ text: String) -> Failure? {
      do throws(Failure) {
        _ = try HdrHistogram(encodedCompressedV2: text)
        return nil
      } catch { return error }
    }
    #expect(failureOf("Zm9v!") == .notBase64(offset: 4))
    #expect(failureOf("") == .truncated(offset: 0))
    for length in 0..<bytes.count {
      #expect(failure { $0.removeLast(bytes.count - length) } == .truncated(offset: length))
    }
    #expect(failure { $0.append(0) } == .trailingBytes(offset: bytes.count))
    // The stream is whole, and the header knows of less.
    #expect(failure { $0[7] -= 1 } == .trailingBytes(offset: bytes.count - 1))
    #expect(failure { $0[0] ^= 1 } == .unknownCookie(0x1d84_9314))
    // Another word size nibble is the same encoding.
    #expect(failure { $0[3] ^= 0x10 } == nil)
    // zlib's checksum notices every change but those of bits that mean nothing.
    for place in 8..<bytes.count {
      var damaged = bytes
      damaged[place] ^= 0x20
      let read = try? HdrHistogram(encodedCompressedV2: Base64.encoded(damaged))
      #expect(read == nil || read == ExportSamples.histogram(), "byte \(place)")
    }
    #expect(failure { $0[8] = 0 } == .damagedStream(offset: 8))
    // A stream that ends before its bytes do, with a header that knows of both.
    #expect(
      failure {
        $0[7] += 3
        $0 += [1, 2, 3]
      } == .trailingBytes(offset: bytes.count))
    #expect(
      failure {
        $0[7] -= 1
        $0.removeLast()
      } == .damagedStream(offset: 8))
  }

  @Test("a sound stream with another content is refused for what is wrong in it")
  func refusesOtherContent() throws {
    func text(_ content: [UInt8]) -> String {
      let stream = Zlib.deflated(content)
      let size = (0..<4).map { UInt8(truncatingIfNeeded: stream.count >> (24 - 8 * $0)) }
      return Base64.encoded([0x1c, 0x84, 0x93, 0x14] + size + stream)
    }
    #expect(throws: Failure.encoding(.truncated(offset: 0))) {
      try HdrHistogram(encodedCompressedV2: text([]))
    }
    var encoding = ExportSamples.histogram().encodedV2()
    encoding[0] ^= 1
    #expect(throws: Failure.encoding(.unknownCookie(0x1d84_9313))) {
      try HdrHistogram(encodedCompressedV2: text(encoding))
    }
    // A small text that unfolds to more than any histogram is stopped on its way.
    let bomb = [UInt8](repeating: 0, count: 80 << 20)
    #expect(throws: Failure.longStream(offset: 8)) {
      try HdrHistogram(encodedCompressedV2: text(bomb))
    }
  }

  @Test("messages name place, finding and expectation")
  func explains() {
    #expect(
      Failure.notBase64(offset: 4).description
        == "histogram: character 4: not base 64; expected A-Z a-z 0-9 + / and = up to a multiple "
        + "of four; encode it again")
    #expect(
      Failure.encoding(.trailingBytes(offset: 50)).description
        == "histogram: encoding: trailingBytes(offset: 50); expected the V2 encoding within the "
        + "stream; encode it again")
  }
}
