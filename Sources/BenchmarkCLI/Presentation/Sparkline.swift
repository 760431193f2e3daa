// SPDX-License-Identifier: Apache-2.0

/// A series as a line of blocks, the lowest figure the lowest block.
package enum Sparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  /// One block per figure; of more figures than `width`, the latest.
  ///
  /// All blocks are the lowest where the figures are equal.
  package static func text(_ figures: [Double], width: Int) -> String {
    let shown = figures.suffix(width)
    guard let low = shown.min(), let high = shown.max(), high > low else {
      return String(repeating: blocks[0], count: shown.count)
    }
    return String(
      shown.map { figure in
        let place = (figure - low) / (high - low) * Double(blocks.count)
        return blocks[min(Int(place), blocks.count - 1)]
      })
  }
}
