// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// How many workers ran and idled over the time of a recording, as the page draws it.
struct PageParallelism {
  private let trace: Trace

  init(_ trace: Trace) { self.trace = trace }

  /// How many steps the parallelism profile has: more than a wide screen tells apart would cost
  /// time.
  private static let profileSteps = 480

  /// For each part of the recording the means of workers that ran, idle with work to take, and idle
  /// without.
  ///
  /// Their areas are exact.
  var value: JSONValue {
    let duration = trace.header.durationNanoseconds
    let step = max(1, Double(duration) / Double(Self.profileSteps))
    var sums = Array(repeating: [0.0, 0.0, 0.0], count: Self.profileSteps)
    let steps = OperationCounts(trace).steps
    guard !steps.isEmpty else { return Self.profile([], step: step) }
    for (place, count) in steps.enumerated() {
      let end = place + 1 < steps.count ? steps[place + 1].time : duration
      add(count, from: count.time, to: end, step: step, to: &sums)
    }
    if let first = steps.first?.time, first > 0 {
      let nothing = OperationCounts.Step(time: 0, running: 0, waiting: 0)
      add(nothing, from: 0, to: first, step: step, to: &sums)
    }
    return Self.profile(sums.map { $0.map { $0 / step } }, step: step)
  }

  /// Spreads a stretch with the same counts over the parts of the recording that it lies in.
  private func add(
    _ count: OperationCounts.Step, from start: Int64, to end: Int64, step: Double,
    to sums: inout [[Double]]
  ) {
    let free = max(0, trace.header.workers - count.running)
    let blamed = min(free, count.waiting)
    var time = Double(max(0, start))
    let last = Double(end)
    while time < last {
      let part = min(sums.count - 1, Int(time / step))
      let border = part == sums.count - 1 ? last : min(last, Double(part + 1) * step)
      // The border of a part may round to where it begins.
      let length = max(border - time, 0.001)
      sums[part][0] += length * Double(count.running)
      sums[part][1] += length * Double(blamed)
      sums[part][2] += length * Double(free - blamed)
      time += length
    }
  }

  private static func profile(_ means: [[Double]], step: Double) -> JSONValue {
    func column(_ place: Int) -> JSONValue { .array(means.map { .number(rounded($0[place])) }) }
    return .object([
      ("step", .number(step)),
      ("time", .array(means.indices.map { .number((Double($0) * step).rounded()) })),
      ("running", column(0)), ("waiting", column(1)), ("idle", column(2)),
    ])
  }

  private static func rounded(_ figure: Double) -> Double { (figure * 1000).rounded() / 1000 }
}
