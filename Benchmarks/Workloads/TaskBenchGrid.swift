// SPDX-License-Identifier: Apache-2.0

package import Harness

/// The grids of Task Bench (Slaughter et al., SC'20): in each step a row of points, and a pattern
/// of dependences of a point on points of the step before.
///
/// A plain value; any thread.
package struct TaskBenchGrid: Hashable, Sendable {
  /// Which points of the step before a point depends on.
  ///
  /// The words are the benchmark's own.
  package enum Pattern: String, CaseIterable, Sendable {
    /// None.
    case trivial
    /// Itself.
    case noComm = "no_comm"
    /// Itself and its neighbours.
    case stencil = "stencil_1d"
    /// Itself and its neighbours on a ring.
    case stencilPeriodic = "stencil_1d_periodic"
    /// Itself and the point before: a sweep, whose rows grow to the full width and shrink again.
    case dom
    /// Half its number: rows that double.
    case tree
    /// Itself and the two at a distance that doubles from step to step.
    case fft
    /// All.
    case allToAll = "all_to_all"
    /// The `radix` nearest.
    case nearest
    /// `radix` points evenly over the row, which shift from step to step.
    case spread
    /// Each of the `radix` nearest with a probability, and itself.
    case randomNearest = "random_nearest"
  }

  /// The pattern.
  package var pattern: Pattern
  /// Rows, 1 or more.
  package var steps: Int
  /// Points of a full row, 1 or more.
  package var width: Int
  /// How many points `nearest`, `spread` and `random_nearest` take, 0 or more.
  package var radix = 5
  /// Probability of an edge of `random_nearest`.
  package var share = 0.25
  /// Steps after which `spread` and `random_nearest` repeat.
  package var period = 3
  /// Seed of `random_nearest`.
  package var seed = 0

  /// A grid; see the properties.
  package init(_ pattern: Pattern, steps: Int, width: Int) {
    self.pattern = pattern
    self.steps = steps
    self.width = width
  }

  /// The points of a step that exist.
  package func points(at step: Int) -> Range<Int> {
    switch pattern {
    case .dom:
      let first = max(0, step + width - steps)
      return first..<first + min(width, step + 1, steps - step)
    case .tree: return 0..<min(width, 1 << min(step, 62))
    default: return 0..<width
    }
  }

  /// The points of the step before that a point depends on, each once, ascending.
  package func dependences(of point: Int, at step: Int) -> [Int] {
    guard step > 0 else { return [] }
    let before = points(at: step - 1)
    return Set(candidates(of: point, at: step)).filter(before.contains).sorted()
  }

  private func candidates(of point: Int, at step: Int) -> [Int] {
    let near = max(0, point - radix / 2)...min(point + max(radix - 1, 0) / 2, width - 1)
    switch pattern {
    case .trivial: return []
    case .noComm: return [point]
    case .stencil: return Array(max(0, point - 1)...min(point + 1, width - 1))
    case .stencilPeriodic: return [-1, 0, 1].map { (point + $0 + width) % width }
    case .dom: return Array(max(0, point - 1)...point)
    case .tree: return [point / 2]
    case .fft:
      let distance = 1 << ((step - 1) % setsOfFFT)
      return [point - distance, point, point + distance].filter((0..<width).contains)
    case .allToAll: return Array(0..<width)
    case .nearest: return radix > 0 ? Array(near) : []
    case .spread:
      return (0..<radix).map { place in
        (point + place * width / radix + (place > 0 ? step % period : 0)) % width
      }
    case .randomNearest:
      guard radix > 0 else { return [] }
      return near.filter { $0 == point || isDrawn($0, for: point, set: step % period) }
    }
  }

  /// How many distances `fft` has: up to half the width.
  private var setsOfFFT: Int {
    var sets = 0
    while 1 << sets < width { sets += 1 }
    return max(sets, 1)
  }

  /// Whether `random_nearest` has an edge; the same for the same numbers, whoever asks.
  private func isDrawn(_ predecessor: Int, for point: Int, set: Int) -> Bool {
    var state = UInt64(truncatingIfNeeded: seed)
    for number in [radix, set, predecessor, point] {
      state = Self.mixed(state ^ UInt64(truncatingIfNeeded: number))
    }
    return Double(state >> 11) * 0x1p-53 < share
  }

  /// The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9e37_79b9_7f4a_7c15
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// The whole grid, row by row, the points that exist alone.
  package func graph(for name: String) throws(WorkloadError) -> PredecessorLists {
    var firsts: [Int] = []
    var places: [(step: Int, point: Int)] = []
    for step in 0..<steps {
      firsts.append(places.count - points(at: step).lowerBound)
      places += points(at: step).map { (step, $0) }
    }
    return try PredecessorLists(for: name, count: places.count) { node, add in
      let (step, point) = places[node]
      for other in dependences(of: point, at: step) { add(firsts[step - 1] + other) }
    }
  }
}
