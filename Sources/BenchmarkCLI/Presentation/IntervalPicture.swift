// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Statistics

/// Intervals of ratios as bars on one scale, with 1 and the tolerance marked.
///
/// The scale is that of logarithms, on which a change and its inverse are as far from 1.
struct IntervalPicture {
  /// One bar.
  struct Bar {
    let label: String
    let ratio: PairedRatio?
    /// What stands behind the bar.
    let verdict: String
    let emphasis: Emphasis
  }

  let bars: [Bar]
  /// The largest relative difference that does not matter.
  let tolerance: Double

  private static let mostLabel = 28
  private static let verdictWidth = 13

  /// The scale, then a line per bar; no line exceeds the width of help.
  func lines(style: TerminalStyle) -> [String] {
    let labelWidth = min(bars.map(\.label.count).max() ?? 0, Self.mostLabel)
    let inner = HelpText.width - 2 - labelWidth - 2 - 2 - Self.verdictWidth
    // Odd, so that 1 has a column of its own.
    let half = (inner - 1) / 2
    let reach = reach
    func column(_ ratio: Double) -> Int {
      let place = log(ratio) / reach * Double(half)
      return half + Int(max(Double(-half), min(Double(half), place.rounded())))
    }
    let ends = [exp(-reach), exp(reach)].map(UnitFormatter.change)
    let gaps = [half - ends[0].count, half - ends[1].count].map {
      String(repeating: " ", count: max(1, $0))
    }
    let blank = String(repeating: " ", count: labelWidth + 4)
    let scale = blank + ends[0] + gaps[0] + "0" + gaps[1] + ends[1]
    return [style.paint(scale, .faint)]
      + bars.map { bar in
        var cells = Array(repeating: Character(" "), count: 2 * half + 1)
        for mark in [1 / (1 + tolerance), 1 + tolerance] { cells[column(mark)] = "┊" }
        cells[half] = "│"
        if let ratio = bar.ratio {
          draw(ratio, &cells, column)
        }
        let name =
          bar.label.count > labelWidth ? bar.label.prefix(labelWidth - 1) + "…" : bar.label[...]
        let label = name + String(repeating: " ", count: labelWidth - name.count)
        return "  \(label)  \(String(cells))  \(style.paint(bar.verdict, bar.emphasis))"
      }
  }

  /// The largest distance from 1 that is shown, as a logarithm.
  ///
  /// Wide enough for every interval, and for the tolerance to be seen.
  private var reach: Double {
    let bounds = bars.compactMap(\.ratio).flatMap { ratio in
      [ratio.ratio] + (ratio.interval.map { [$0.low, $0.high] } ?? [])
    }
    let farthest = bounds.map { log($0).magnitude }.max() ?? 0
    return max(1.1 * farthest, 4 * log1p(tolerance), 0.001)
  }

  private func draw(_ ratio: PairedRatio, _ cells: inout [Character], _ column: (Double) -> Int) {
    if let interval = ratio.interval {
      let (low, high) = (column(interval.low), column(interval.high))
      for place in low...high { cells[place] = "─" }
      if low < high {
        cells[low] = "├"
        cells[high] = "┤"
      }
    }
    cells[column(ratio.ratio)] = "●"
  }
}
