// SPDX-License-Identifier: Apache-2.0

/// Lays out cells in columns of equal width.
package struct TextTable: Sendable {
  /// Where a column's text stands.
  package enum Alignment: Sendable { case left, right }

  /// A cell, and how it is emphasised on a terminal.
  package struct Cell: Sendable, ExpressibleByStringLiteral {
    package var text: String
    package var emphasis: Emphasis

    package init(_ text: String, _ emphasis: Emphasis = .plain) {
      self.text = text
      self.emphasis = emphasis
    }

    package init(stringLiteral value: String) { self.init(value) }
  }

  /// The columns: heading and alignment.
  package var columns: [(heading: String, alignment: Alignment)]
  /// The rows; each has as many cells as there are columns.
  package var rows: [[Cell]] = []
  /// Blanks before every line.
  package var indent = 2
  /// Width that no line should exceed; where one would, every long first cell gets a line of its
  /// own.
  package var mostWidth = HelpText.width
  /// Least width of a column by index, so that tables below each other line up.
  package var minimumWidths: [Int] = []

  package init(columns: [(heading: String, alignment: Alignment)]) { self.columns = columns }

  /// A first cell of up to this width never gets a line of its own.
  private static let shortName = 16

  /// Widths that fit headings and cells.
  package var widths: [Int] {
    var widths = naturalWidths
    let excess = indent + widths.reduce(0, +) + 2 * (widths.count - 1) - mostWidth
    if excess > 0, let first = widths.first, first > Self.shortName {
      widths[0] = Self.shortName
    }
    return widths
  }

  private var naturalWidths: [Int] {
    columns.indices.map { index in
      let least = index < minimumWidths.count ? minimumWidths[index] : 0
      return rows.reduce(max(least, columns[index].heading.count)) { width, row in
        index < row.count ? max(width, row[index].text.count) : width
      }
    }
  }

  /// The lines, headings first; no trailing blanks.
  package func lines(style: TerminalStyle) -> [String] {
    let widths = widths
    let head = columns.map { Cell($0.heading, .faint) }
    return ([head] + rows).flatMap { row -> [String] in
      guard let name = row.first, let most = widths.first, name.text.count > most else {
        return [line(of: row, widths: widths, style: style)]
      }
      let rest = [Cell("")] + row.dropFirst()
      return [String(repeating: " ", count: indent) + style.paint(name.text, name.emphasis)]
        + [line(of: rest, widths: widths, style: style)]
    }
  }

  private func line(of cells: [Cell], widths: [Int], style: TerminalStyle) -> String {
    var line = String(repeating: " ", count: indent)
    var pending = 0
    for (index, cell) in cells.enumerated() {
      let padding = widths[index] - cell.text.count
      let isRight = columns[index].alignment == .right
      if isRight { pending += padding }
      if !cell.text.isEmpty {
        line += String(repeating: " ", count: pending) + style.paint(cell.text, cell.emphasis)
        pending = 0
      }
      pending += isRight ? 2 : padding + 2
    }
    return line
  }

  /// The table in GitHub's Markdown.
  package var markdown: String {
    func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    let rule = columns.map { $0.alignment == .right ? "---:" : "---" }
    let body = rows.map { row($0.map { $0.text.replacing("|", with: "\\|") }) }
    return ([row(columns.map(\.heading)), row(rule)] + body).joined(separator: "\n") + "\n"
  }
}
