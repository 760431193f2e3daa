// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations
import WorkStealingBackend

/// A program of `scripts/core-figures`: prints the nanoseconds of one operation, the median of the
/// iterations that come after two that are not timed.
///
///     UserPrograms PROGRAM WORKERS ITERATIONS [quiet]
///
/// With `quiet` no worker spins before it sleeps, and every iteration is as the others, for
/// counting instructions. `UserPrograms list` names the programs.
@main struct UserPrograms {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.dropFirst() == ["list"] {
      return print(programs.keys.sorted().joined(separator: "\n"))
    }
    guard (4...5).contains(arguments.count), let make = programs[arguments[1]],
      let workers = Int(arguments[2]), let iterations = Int(arguments[3]), workers > 0,
      iterations > 0,
      arguments.count == 4 || arguments[4] == "quiet"
    else { fatalError("expected PROGRAM WORKERS ITERATIONS [quiet]") }
    var configuration = WorkStealingConfiguration()
    let isQuiet = arguments.count == 5
    if isQuiet { configuration.spinBudgetNanoseconds = 0 }
    let scheduler = WorkStealingScheduler(workers: workers, configuration: configuration)
    let program = make()
    var times: [Double] = []
    for iteration in -(isQuiet ? 0 : 2)..<iterations {
      let begin = nanoseconds()
      program.iterate(on: scheduler)
      let time = nanoseconds() - begin
      program.check()
      if iteration >= 0 { times.append(Double(time) / Double(program.count)) }
    }
    times.sort()
    print((times[(times.count - 1) / 2] + times[times.count / 2]) / 2)
  }

  static let programs: [String: @Sendable () -> any Program] = [
    "chain": { Layered(.chain, UserOperation.init) },
    "layered-defaults": {
      Layered(.layered) { counters, index in BlockOperation { counters.add(index) } }
    },
    "layered-main": { Layered(.layered, UserOperation.init) },
    "layered-completion": {
      Layered(.layered) { counters, index in
        let operation = BlockOperation { counters.add(index) }
        operation.completionBlock = { counters.touch(index) }
        return operation
      }
    },
    "layered-name": {
      Layered(.layered) { counters, index in
        let operation = BlockOperation { counters.add(index) }
        operation.name = "an operation of the graph"
        return operation
      }
    },
    "layered-observer": { ObservedLayered() },
    "layered-handle": { LayeredHandles() },
    "layered-other-thread": { LayeredElsewhere() },
    "graph-chain": { StaticGraph(.chain) },
    "graph-layered": { StaticGraph(.layered) },
    "fork-join-stack": { ForkJoinStack() },
  ]

  private static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// What is timed: building, running and letting go of operations.
protocol Program {
  /// Operations of one iteration.
  var count: Int { get }
  func iterate(on scheduler: WorkStealingScheduler)
  /// Stops the process unless every operation has run once since the last call.
  func check()
}

/// How often each operation ran.
struct Counters: Sendable {
  nonisolated(unsafe) private let counts: UnsafeMutablePointer<Int32>
  private let count: Int

  init(_ count: Int) {
    self.count = count
    counts = .allocate(capacity: count)
    counts.initialize(repeating: 0, count: count)
  }

  func add(_ index: Int) { counts[index] += 1 }

  /// Looks at a count and leaves it as it is.
  func touch(_ index: Int) {
    if counts[index] != 1 { fatalError("\(index) has not run") }
  }

  func check() {
    for index in 0..<count where counts[index] != 1 {
      fatalError("operation \(index) ran \(counts[index]) times")
    }
    counts.update(repeating: 0, count: count)
  }
}

/// Who depends on whom: predecessors have lower indices.
struct Shape {
  let predecessors: [[Int]]

  /// Each depends on the one before.
  static var chain: Shape { Shape(predecessors: (0..<100_000).map { $0 == 0 ? [] : [$0 - 1] }) }

  /// 100 layers of 1000; each operation depends on three different ones of the layer before.
  static var layered: Shape {
    var state: UInt64 = 42
    let lists = (0..<100_000).map { index in
      var drawn: [Int] = []
      while index >= 1000, drawn.count < 3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let candidate = (index / 1000 - 1) * 1000 + Int(state >> 33) % 1000
        if !drawn.contains(candidate) { drawn.append(candidate) }
      }
      return drawn
    }
    return Shape(predecessors: lists)
  }
}
