// SPDX-License-Identifier: Apache-2.0

/// Who stole from whom, as a square: a row for each thief, a column for each victim.
struct StealPicture {
  private typealias Layout = TracePicture.Layout

  private let matrix: [[Int]]
  private let most: Int

  init(_ counts: StealCounts) {
    most = counts.matrix.joined().max() ?? 0
    matrix = most > 0 ? counts.matrix : []
  }

  /// Nothing where nothing was stolen, or nobody knows.
  var height: Double {
    matrix.isEmpty ? 0 : 64 + Double(matrix.count) * Layout.cell
  }

  func draw(into text: inout TextBuffer, top: Double) {
    guard !matrix.isEmpty else { return }
    let left = Layout.margin + Layout.labels
    text.append("<text class=\"title\" x=\"16\" y=\"")
    text.append(coordinate: top + 28)
    text.append("\">Operations that a thief (row) took from a victim (column)</text>\n")
    for (thief, row) in matrix.enumerated() {
      let y = top + 60 + Double(thief) * Layout.cell
      label("name", "\(thief)", x: left - 8, y: y + 24, into: &text)
      label(
        "figure", "\(thief)", x: left + (Double(thief) + 0.5) * Layout.cell, y: top + 52,
        into: &text)
      for (victim, count) in row.enumerated() where victim != thief {
        let x = left + Double(victim) * Layout.cell
        text.append("<rect class=\"cell\" x=\"")
        text.append(coordinate: x)
        text.append("\" y=\"")
        text.append(coordinate: y)
        text.append("\" width=\"38\" height=\"38\" fill-opacity=\"")
        text.append(coordinate: Double(count) / Double(most) * 0.7)
        text.append("\"/>\n")
        label("figure", "\(count)", x: x + 19, y: y + 24, into: &text)
      }
    }
  }

  private func label(
    _ name: String, _ words: String, x: Double, y: Double, into text: inout TextBuffer
  ) {
    text.append("<text class=\"\(name)\" x=\"")
    text.append(coordinate: x)
    text.append("\" y=\"")
    text.append(coordinate: y)
    text.append("\">\(words)</text>\n")
  }
}
