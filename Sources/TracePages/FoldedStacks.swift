// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// What the widths of a flame graph stand for.
package enum FoldedWeight: String, Sendable, CaseIterable {
  /// The time that operations had a thread, without what ran inside them meanwhile.
  case work
  /// The time from the queue to the start, a frame at the end saying for what.
  case wait
}

/// Folded stacks: a line for each stack, its frames with semicolons between them, and nanoseconds.
///
/// A stack is the class and the name of an operation; one that ran inside another has that one's
/// frames before its own. O(operations log operations).
struct FoldedStacks {
  private let trace: Trace
  private let frames: [String]
  private var weights: [Stack: Int64] = [:]

  /// A stack that has been seen, as its last frame on another stack.
  private struct Stack: Hashable {
    /// Index into `paths` of the enclosing operation's frames; 0 for none.
    var outer: Int
    var kind: UInt32
    var name: UInt32
    var wait: Wait?
  }

  /// What an operation waits for.
  private enum Wait: String, Hashable {
    case dependency = "waits for dependencies"
    case held = "held by a resource or condition"
    case ready = "ready, not begun"
  }

  /// The frames of stacks that enclose others, each once.
  private var paths: [String] = [""]
  private var indexOfPath: [Stack: Int] = [:]

  init(_ trace: Trace, weight: FoldedWeight) {
    self.trace = trace
    frames = trace.names.map(Self.frame)
    switch weight {
    case .work: addWork()
    case .wait: addWaits()
    }
  }

  /// The lines in the order of their bytes.
  var bytes: [UInt8] {
    let lines = weights.filter { $0.value > 0 }.map { stack, weight in
      "\(path(of: stack)) \(weight)\n"
    }
    return Array(lines.sorted().joined().utf8)
  }

  private mutating func addWork() {
    let lanes = ThreadLanes(trace)
    for thread in trace.threads.indices {
      var open: [(stack: Stack, end: Int64)] = []
      for index in lanes[thread] {
        let operation = trace.operations[Int(index)]
        guard let start = operation.started else { continue }
        while let last = open.last, last.end <= start { open.removeLast() }
        let stack = Stack(
          outer: open.last.map { enclosing($0.stack) } ?? 0, kind: operation.kind,
          name: operation.name)
        var end = operation.threadEnd(in: trace)
        if let outer = open.last {
          // Only what lies inside the outer operation was counted as that one's time.
          end = min(end, outer.end)
          weights[outer.stack, default: 0] -= end - start
        }
        weights[stack, default: 0] += end - start
        open.append((stack, end))
      }
    }
  }

  private mutating func addWaits() {
    for operation in trace.operations {
      func add(_ wait: Wait, from start: Int64?, to end: Int64?) {
        guard let start, let end, start < end else { return }
        let stack = Stack(outer: 0, kind: operation.kind, name: operation.name, wait: wait)
        weights[stack, default: 0] += end - start
      }
      add(.dependency, from: operation.enqueued, to: operation.ready)
      add(.held, from: operation.ready, to: operation.admitted)
      add(.ready, from: operation.admitted ?? operation.ready, to: operation.started)
    }
  }

  private mutating func enclosing(_ stack: Stack) -> Int {
    if let index = indexOfPath[stack] { return index }
    paths.append(path(of: stack) + ";")
    indexOfPath[stack] = paths.count - 1
    return paths.count - 1
  }

  private func path(of stack: Stack) -> String {
    var path = paths[stack.outer] + (stack.kind == 0 ? "operation" : frames[Int(stack.kind)])
    if stack.name != 0 { path += ";" + frames[Int(stack.name)] }
    if let wait = stack.wait { path += ";" + wait.rawValue }
    return path
  }

  /// A name as a frame: what would end a frame or a line is replaced.
  private static func frame(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case ";": text += ":"
      case "\n", "\r", "\t": text += " "
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
