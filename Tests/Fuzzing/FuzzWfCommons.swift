// SPDX-License-Identifier: Apache-2.0

/// Feeds one input to the reader of WfCommons files.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWfCommons(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  GraphOracle.check { () throws(TaskGraphError) in
    try TaskGraphFile.parse(bytes, format: .wfcommons, path: "fuzz.json")
  }
  return 0
}
