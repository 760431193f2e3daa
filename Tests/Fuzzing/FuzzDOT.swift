// SPDX-License-Identifier: Apache-2.0

/// Feeds one input to the reader of DOT files.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDOT(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  GraphOracle.check { () throws(TaskGraphError) in
    try TaskGraphFile.parse(bytes, format: .dot, path: "fuzz.dot")
  }
  return 0
}
