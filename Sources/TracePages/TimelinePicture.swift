// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// The rows of the threads that ran something, with the axis of time below them.
struct TimelinePicture {
  private typealias Layout = TracePicture.Layout

  private let trace: Trace
  private let lanes: ThreadLanes
  private let pauses: [WorkerPauses.Pause]
  /// The threads with a row.
  private let threads: [Int]
  /// The colour of each class, by its index in the names; the most frequent ones first.
  private let colours: [UInt32: Int]
  /// The names of the classes in the order of their colours.
  let classes: [String]

  init(_ trace: Trace) {
    self.trace = trace
    let lanes = ThreadLanes(trace)
    let pauses = WorkerPauses(trace).pauses
    let paused = Set(pauses.map(\.thread))
    self.lanes = lanes
    self.pauses = pauses
    threads = trace.threads.indices.filter { !lanes[$0].isEmpty || paused.contains($0) }
    var counts: [UInt32: Int] = [:]
    for operation in trace.operations { counts[operation.kind, default: 0] += 1 }
    let kinds = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    colours = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1, $0) })
    classes = kinds.map { $0 == 0 ? "operation" : trace.names[Int($0)] }
  }

  var height: Double { Double(threads.count) * Layout.row + Layout.axis }

  func draw<Failure: Error>(
    into text: inout TextBuffer, top: Double, to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    drawAxis(into: &text, top: top)
    for (row, thread) in threads.enumerated() {
      let y = top + Double(row) * Layout.row
      text.append("<text class=\"name\" x=\"")
      text.append(coordinate: Layout.margin + Layout.labels - 8)
      text.append("\" y=\"")
      text.append(coordinate: y + 16)
      text.append("\">\(HTMLPage.escaped(trace.label(ofThread: thread)))</text>\n")
      for pause in pauses where pause.thread == thread {
        let (left, right) = (x(pause.start), x(pause.end))
        guard right - left >= 0.5 else { continue }
        rectangle(pause.kind.rawValue, left, right, y + 8, 6, into: &text)
        try text.drain(to: sink)
      }
      try drawOperations(of: thread, y: y, into: &text, to: sink)
    }
  }

  /// Operations as rectangles; those that begin within the same half pixel share one.
  private func drawOperations<Failure: Error>(
    of thread: Int, y: Double, into text: inout TextBuffer,
    to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var open: (colour: Int, left: Double, right: Double)?
    for index in lanes[thread] {
      let operation = trace.operations[Int(index)]
      guard let start = operation.started else { continue }
      let (left, right) = (x(start), x(operation.threadEnd(in: trace)))
      let colour = (colours[operation.kind] ?? 0) % TracePicture.palette.count
      if let last = open {
        if left - last.left < 0.5 || right <= last.right && right - left < 0.5 {
          open?.right = max(last.right, right)
          continue
        }
        rectangle("k\(last.colour)", last.left, last.right, y + 2, 18, into: &text)
        try text.drain(to: sink)
      }
      open = (colour, left, right)
    }
    if let last = open {
      rectangle("k\(last.colour)", last.left, last.right, y + 2, 18, into: &text)
    }
  }

  private func drawAxis(into text: inout TextBuffer, top: Double) {
    let bottom = top + Double(threads.count) * Layout.row
    let duration = max(1, trace.header.durationNanoseconds)
    let step = Self.step(for: duration)
    for time in stride(from: 0, through: duration, by: Int64.Stride(step)) {
      text.append("<line class=\"line\" x1=\"")
      text.append(coordinate: x(time))
      text.append("\" x2=\"")
      text.append(coordinate: x(time))
      text.append("\" y1=\"")
      text.append(coordinate: top)
      text.append("\" y2=\"")
      text.append(coordinate: bottom + 4)
      text.append("\"/><text class=\"tick\" x=\"")
      text.append(coordinate: x(time))
      text.append("\" y=\"")
      text.append(coordinate: bottom + 18)
      text.append("\">\(time.duration)</text>\n")
    }
  }

  /// The smallest of 1, 2 and 5 times a power of ten that gives at most ten ticks.
  private static func step(for duration: Int64) -> Int64 {
    var power: Int64 = 1
    while duration / power > 100 { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { duration / $0 <= 10 } ?? 10 * power
  }

  private func x(_ time: Int64) -> Double {
    let share = Double(time) / Double(max(1, trace.header.durationNanoseconds))
    return Layout.margin + Layout.labels + share * Layout.plot
  }

  private func rectangle(
    _ name: String, _ left: Double, _ right: Double, _ y: Double, _ height: Double,
    into text: inout TextBuffer
  ) {
    text.append("<rect class=\"\(name)\" x=\"")
    text.append(coordinate: left)
    text.append("\" y=\"")
    text.append(coordinate: y)
    text.append("\" width=\"")
    // What lasted is seen, however short it was.
    text.append(coordinate: max(0.5, right - left))
    text.append("\" height=\"")
    text.append(coordinate: height)
    text.append("\"/>\n")
  }
}
