// SPDX-License-Identifier: Apache-2.0

/// A function of time as it is found step by step.
struct ProfileSteps {
  private var exact: [ParallelismProfile.Point] = []
  private var running: [Double]
  private var runnable: [Double]
  private var isExact = true
  private let width: Double
  private let begin: Int64

  init(window: RunWindow) {
    running = Array(repeating: 0, count: ParallelismProfile.pointLimit)
    runnable = running
    begin = window.begin
    width = Double(max(1, window.makespan)) / Double(ParallelismProfile.pointLimit)
  }

  /// Adds a stretch behind the one before.
  mutating func add(from start: Int64, to end: Int64, running: Int, runnable: Int) {
    if isExact {
      let (now, ready) = (Double(running), Double(runnable))
      if exact.last?.running != now || exact.last?.runnable != ready {
        isExact = exact.count < ParallelismProfile.pointLimit
        if isExact { exact.append(.init(begin: start, running: now, runnable: ready)) }
      }
    }
    var from = Double(start - begin)
    let to = Double(end - begin)
    var bin = min(self.running.count - 1, Int(from / width))
    while from < to {
      let edge = bin == self.running.count - 1 ? to : min(to, Double(bin + 1) * width)
      self.running[bin] += Double(running) * (edge - from)
      self.runnable[bin] += Double(runnable) * (edge - from)
      from = edge
      bin += 1
    }
  }

  func points(window: RunWindow) -> [ParallelismProfile.Point] {
    if isExact { return exact }
    return running.indices.map { bin in
      .init(
        begin: begin + Int64(Double(bin) * width), running: running[bin] / width,
        runnable: runnable[bin] / width)
    }
  }
}
