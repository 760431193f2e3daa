// SPDX-License-Identifier: Apache-2.0

/// Feeds one input to the reader of Ninja builds: manifest, log and `rules.ninja`, separated by NUL
/// bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNinja(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map(
    Array.init)
  GraphOracle.check { () throws(TaskGraphError) in
    try TaskGraphFile.parseNinja(
      manifest: parts[0], log: parts.count > 1 ? parts[1] : [],
      included: parts.count > 2 ? ["rules.ninja": parts[2]] : [:], path: "fuzz/build.ninja")
  }
  return 0
}
