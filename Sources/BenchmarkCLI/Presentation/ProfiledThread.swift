// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results
internal import Traces

/// A thread of the recorded run, and what Linux says that it got of the processors.
struct ProfiledThread: Equatable {
  /// Its worker's number; nil for a thread that is no worker.
  let worker: Int?
  let name: String
  let times: ThreadTimes.Entry

  /// The threads that have run or waited, workers first, in their order.
  static func all(_ times: ThreadTimes, _ trace: Trace) -> [ProfiledThread] {
    var known: [Int32: TraceThread] = [:]
    // A thread that was several workers is told as the first.
    for thread in trace.threads where known[thread.systemID] == nil {
      known[thread.systemID] = thread
    }
    let threads = times.entries.filter { $0.slices > 0 || $0.waited > 0 }.map { entry in
      let thread = known[entry.systemID]
      return ProfiledThread(
        worker: thread.flatMap { $0.worker >= 0 ? Int($0.worker) : nil },
        name: thread.map { trace.names[Int($0.name)] } ?? "", times: entry)
    }
    return threads.sorted { one, other in
      (one.worker ?? .max, one.times.systemID) < (other.worker ?? .max, other.times.systemID)
    }
  }

  /// The share of the time in which it could run and did not; nil when it never could.
  var share: Double? {
    let able = times.ran + times.waited
    return able == 0 ? nil : Double(times.waited) / Double(able)
  }

  var value: JSONValue {
    .object([
      ("worker", worker.map { .integer($0) } ?? .null), ("name", .string(name)),
      ("systemID", .integer(Int(times.systemID))), ("ran", .integer(Int(clamping: times.ran))),
      ("waited", .integer(Int(clamping: times.waited))),
      ("slices", .integer(Int(clamping: times.slices))),
    ])
  }
}

extension ProfileTables {
  /// How long each thread ran, and how long it could have run and had no processor.
  static func threads(_ threads: [ProfiledThread]) -> TextTable {
    var table = TextTable(columns: [
      ("worker", .right), ("thread", .left), ("ran", .right), ("no processor", .right),
      ("share", .right), ("slices", .right),
    ])
    for thread in threads {
      let name = thread.name.isEmpty ? "thread" : thread.name
      table.rows.append([
        .init(thread.worker.map { "\($0)" } ?? ""), .init("\(name) \(thread.times.systemID)"),
        .init(ProfileText.time(Int64(clamping: thread.times.ran))),
        .init(ProfileText.time(Int64(clamping: thread.times.waited))),
        .init(thread.share.map(UnitFormatter.percent) ?? ""), .init("\(thread.times.slices)"),
      ])
    }
    return table
  }
}
