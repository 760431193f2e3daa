// SPDX-License-Identifier: Apache-2.0

/// Feeds one input to the reader of builds by make: its database, a NUL byte, the log of recipes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMake(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let text = bytes.prefix { $0 != 0 }
  let database = MakeDatabase(String(decoding: text, as: UTF8.self))
  GraphOracle.check { () throws(TaskGraphError) in
    let records = try RecipeRecord.read(Array(bytes.dropFirst(text.count + 1)), path: "fuzz.log")
    let graph = try MakeReader.read(
      records, database: database, name: "fuzz", path: "make", folder: "/w")
    // Nothing ran: no graph, and no fault.
    guard let graph else {
      return try TaskGraph(
        name: "none", source: .csv,
        tasks: [.init(name: "none", durationNanoseconds: 0, parents: [])], path: "make")
    }
    return graph
  }
  return 0
}
