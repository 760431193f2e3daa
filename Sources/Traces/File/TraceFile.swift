// SPDX-License-Identifier: Apache-2.0

package import Results

/// The file that a recording lies in.
///
/// `magic`, the version, the number of bytes that follow, the parts, the checksum. A part is its
/// number, its length and its columns; the first column of every table has a byte or more for each
/// row, so that a file cannot claim more rows than it has bytes. Numbers that are longer than a
/// byte and are no varints have the lowest byte first. Not compressed beyond that: see the page
/// Files.
package enum TraceFile {
  /// How a file begins: not as text does, and not as what a transfer of text makes of it.
  package static let magic: [UInt8] = [0x93, 0x53, 0x42, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The form that this build writes, and the only one that it reads.
  package static let version: UInt8 = 1
  /// Bytes in front of the parts: magic, version, length.
  static let prefixLength = 17
  /// Bytes of the checksum.
  static let checksumLength = 8

  /// Whether bytes begin as a recording does.
  package static func isTrace(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: magic)
  }

  /// A recording as bytes.
  ///
  /// O(bytes); about 30 for an operation with its edges.
  package static func encode(_ trace: Trace) -> [UInt8] {
    let parts = TraceEncoder.parts(of: trace)
    var bytes = magic
    bytes.append(version)
    bytes += fixed(UInt64(parts.count))
    bytes += parts
    bytes += fixed(checksum(bytes[...]))
    return bytes
  }

  /// The recording that bytes hold.
  ///
  /// Every index in it has something to point to. O(bytes).
  /// - Parameter path: names the bytes in messages.
  package static func decode(_ bytes: [UInt8], path: String) throws(TraceFileError) -> Trace {
    try checkFrame(bytes, path: path)
    let range = prefixLength..<bytes.count - checksumLength
    do throws(VarintReader.Fault) {
      let trace = try TraceDecoder.trace(VarintReader(bytes, range))
      try TraceCheck.check(trace, end: range.upperBound)
      return trace
    } catch {
      throw TraceFileError(
        path: path, offset: error.offset, finding: error.finding, expectation: error.expectation,
        nextStep: "record the run again, and report this file as a fault of what wrote it")
    }
  }

  /// Reads a file.
  package static func read(_ path: String) throws(TraceFileError) -> Trace {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path) } catch {
      throw TraceFileError(reading: error)
    }
    return try decode(bytes, path: path)
  }

  /// Writes a file that is complete when it appears.
  package static func write(
    _ trace: Trace, to path: String, overwrite: Bool
  ) throws(FileError) {
    try AtomicFile.write(encode(trace), to: path, overwrite: overwrite)
  }

  /// Magic, version, length and checksum: what tells a foreign, newer, truncated and damaged file.
  private static func checkFrame(_ bytes: [UInt8], path: String) throws(TraceFileError) {
    let again = "copy the file again, or record the run again with `bench profile --trace FILE`"
    guard isTrace(bytes) else {
      let start = magic.starts(with: bytes)
      throw TraceFileError(
        path: path, offset: 0,
        finding: bytes.isEmpty
          ? "the file is empty"
          : start ? "the file ends after \(bytes.count) bytes" : "this is no recording",
        expectation: "a file that `bench profile --trace` wrote",
        nextStep: start ? again : "name one")
    }
    guard bytes.count >= prefixLength else {
      throw TraceFileError(
        path: path, offset: bytes.count, finding: "the file ends after \(bytes.count) bytes",
        expectation: "\(prefixLength + checksumLength) at least", nextStep: again)
    }
    guard bytes[magic.count] == version else {
      throw TraceFileError(
        path: path, offset: magic.count,
        finding: "the recording has form \(bytes[magic.count])", expectation: "form \(version)",
        nextStep: "read it with the `bench` that wrote it, or record the run again with this one")
    }
    let length = fixed(bytes[magic.count + 1..<prefixLength])
    let whole = length.addingReportingOverflow(UInt64(prefixLength + checksumLength))
    guard !whole.overflow, whole.partialValue == UInt64(bytes.count) else {
      throw TraceFileError(
        path: path, offset: bytes.count, finding: "the file has \(bytes.count) bytes",
        expectation: whole.overflow ? "a shorter recording" : "\(whole.partialValue)",
        nextStep: again)
    }
    let end = bytes.count - checksumLength
    guard fixed(bytes[end...]) == checksum(bytes[..<end]) else {
      throw TraceFileError(
        path: path, offset: end, finding: "the bytes do not fit their checksum",
        expectation: "the bytes that were written", nextStep: again)
    }
  }

  /// FNV-1a of 64 bits; another byte anywhere gives another sum.
  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return state
  }

  static func fixed(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func fixed(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
