// SPDX-License-Identifier: Apache-2.0

/// What the operations of a recording did themselves, and what the scheduler took beside it.
package struct RecordedWork: Sendable {
  /// For each operation how long its body held its thread, without the operations that ran inside
  /// it and without the time that it said to be blocked; 0 for one that did not run.
  package let durations: [Int64]
  /// The median of what lies between two operations on one thread when the second was ready before
  /// the first had finished, or was made ready by it; nil where there is no such pair.
  package let overheadNanoseconds: Int64?
  /// Pairs behind it.
  package let overheadPairs: Int

  /// O(operations log operations + events).
  package init(_ trace: Trace) {
    var durations = [Int64](repeating: 0, count: trace.operations.count)
    var gaps: [Int64] = []
    let blocked = Self.blocked(trace)
    for (thread, rows) in Self.byThread(trace).enumerated() {
      var open = OpenBodies()
      var last: Int?
      var block = 0
      for row in rows {
        let operation = trace.operations[row]
        while block < blocked[thread].count, blocked[thread][block].start < operation.startedTime {
          open.take(blocked[thread][block], from: &durations)
          block += 1
        }
        let body = Stretch(start: operation.startedTime, end: Self.end(operation))
        durations[row] += body.length
        open.take(body, from: &durations)
        if open.isEmpty {
          if let last, let gap = Self.gap(trace, from: last, to: row) { gaps.append(gap) }
          last = row
        }
        open.push(row, end: body.end)
      }
      for stretch in blocked[thread][block...] { open.take(stretch, from: &durations) }
    }
    self.durations = durations
    overheadPairs = gaps.count
    gaps.sort()
    overheadNanoseconds = gaps.isEmpty ? nil : gaps[gaps.count / 2]
  }

  /// A part of a thread's time.
  private struct Stretch {
    var start: Int64
    var end: Int64
    var length: Int64 { max(0, end - start) }
  }

  /// The bodies that one thread is inside of, the innermost last.
  private struct OpenBodies {
    private var bodies: [(row: Int, end: Int64)] = []

    var isEmpty: Bool { bodies.isEmpty }

    mutating func push(_ row: Int, end: Int64) { bodies.append((row, end)) }

    /// Takes what is no work of its own from the body that is open when the stretch begins.
    mutating func take(_ stretch: Stretch, from durations: inout [Int64]) {
      while let inner = bodies.last, inner.end <= stretch.start { bodies.removeLast() }
      guard let inner = bodies.last else { return }
      durations[inner.row] -= min(stretch.length, durations[inner.row])
    }
  }

  /// When an operation left its thread.
  private static func end(_ operation: TracedOperation) -> Int64 {
    operation.returned ?? operation.finished ?? operation.startedTime
  }

  /// The operations that a thread began, in the order in which it did, outer ones first.
  private static func byThread(_ trace: Trace) -> [[Int]] {
    var rows = [[Int]](repeating: [], count: trace.threads.count)
    for row in trace.operations.indices {
      let operation = trace.operations[row]
      guard operation.thread >= 0, operation.started != nil else { continue }
      rows[Int(operation.thread)].append(row)
    }
    return rows.map { rows in
      rows.sorted { one, other in
        let (first, second) = (trace.operations[one], trace.operations[other])
        return (first.startedTime, -end(first), one) < (second.startedTime, -end(second), other)
      }
    }
  }

  /// What lies between two operations of a thread that had no reason to wait.
  private static func gap(_ trace: Trace, from first: Int, to second: Int) -> Int64? {
    let operation = trace.operations[second]
    let end = end(trace.operations[first])
    guard let ready = operation.ready, ready <= end || operation.releasedBy == Int32(first) else {
      return nil
    }
    return max(0, operation.startedTime - end)
  }

  /// For each thread the time between `blocks` and `unblocks`.
  private static func blocked(_ trace: Trace) -> [[Stretch]] {
    var stretches = [[Stretch]](repeating: [], count: trace.threads.count)
    var began = [Int64?](repeating: nil, count: trace.threads.count)
    for event in trace.schedulerEvents {
      let thread = Int(event.thread)
      if event.kind == .blocks { began[thread] = event.time }
      guard event.kind == .unblocks, let start = began[thread] else { continue }
      began[thread] = nil
      stretches[thread].append(Stretch(start: start, end: event.time))
    }
    return stretches
  }
}
