// SPDX-License-Identifier: Apache-2.0

internal import History
internal import Results

/// A series and the changes that a scan found in it.
struct ScannedSeries {
  let series: HistorySeries
  /// Those that the user asked for.
  let changes: [HistoryChange]

  /// Too few points for a scan.
  var isShort: Bool { !series.isExact && series.points.count < HistoryScan.leastPoints }
}

/// Histories as `bench history` tells them.
struct HistoryText {
  let style: TerminalStyle
  /// What there is by way of a certificate of a machine, in one line; nil where nobody knows.
  let certificate: (MachineID) -> String?

  /// Blocks of a sparkline, within the width of a terminal.
  private static let sparklineWidth = 60

  // MARK: - show

  /// Every series with its sparkline and latest figure, under its machine.
  func shown(_ all: [HistorySeries]) -> String {
    sections(all, \.self) { series in
      let points = series.points
      guard let first = points.first, let last = points.last else { return [] }
      let figures = series.figures.suffix(Self.sparklineWidth)
      var lines = [
        style.paint(series.name, .strong),
        "  " + Sparkline.text(Array(figures), width: Self.sparklineWidth) + "  "
          + "\(Self.figure(figures.min() ?? 0, series)) to \(Self.figure(figures.max() ?? 0, series))",
        "  latest: \(Self.latest(last)), commit \(short(last.commit)) of \(Self.day(last))",
        "  \(Self.count(points.count, "commit")) since \(Self.day(first)), against "
          + short(series.key.reference),
      ]
      if let link = series.link {
        let factor = link.factor.map { ", 1 here is \(Self.digits($0)) there" } ?? ""
        lines.append(
          style.paint(
            "  goes on from the series against \(short(link.reference)) by \(short(link.commit))"
              + factor, .faint))
      }
      return lines
    }
  }

  private static func latest(_ point: HistoryPoint) -> String {
    let value = UnitFormatter.text(point.value, unit: point.subject.unit)
    guard !point.subject.metric.isExact, let ratio = point.ratio else { return value }
    let interval = point.interval.map { " [\(digits($0.low)), \(digits($0.high))]" } ?? ""
    return "ratio \(digits(ratio))\(interval), \(value)"
  }

  // MARK: - scan

  /// What was found, series by series, and what it means.
  func scanned(_ all: [ScannedSeries], alpha: Double) -> String {
    var text = sections(all, \.series) { scanned in
      scanned.changes.isEmpty
        ? []
        : [style.paint(scanned.series.name, .strong)]
          + scanned.changes.flatMap { lines(of: $0, in: scanned.series) }
    }
    if !text.isEmpty { text += "\n" }
    return text + summary(all, alpha: alpha).map { $0 + "\n" }.joined()
  }

  private func lines(of change: HistoryChange, in series: HistorySeries) -> [String] {
    let (before, after) = (change.before, change.after)
    let emphasis: Emphasis =
      change.isWorse == nil ? .plain : change.isWorse == true ? .bad : .good
    let what =
      series.isExact
      ? "changed from \(UnitFormatter.text(before.value, unit: before.subject.unit)) to "
        + UnitFormatter.text(after.value, unit: after.subject.unit)
      : Self.step(change)
    let certainty = change.pValue.map { ", p = \(Self.pValue($0))" } ?? ""
    return [
      "  " + style.paint((change.pValue == nil ? "" : "suspicion: ") + what, emphasis)
        + " from commit \(short(after.commit)) of \(Self.day(after)) on\(certainty)",
      "  commits: \(before.commit) before, \(after.commit) after",
    ]
  }

  /// How the level changes, as a word and a percentage.
  private static func step(_ change: HistoryChange) -> String {
    let ratio = change.ratio ?? 1
    let word =
      switch change.isWorse {
      case true?: "worse"
      case false?: "better"
      case nil: "different"
      }
    let percent = UnitFormatter.fixed((ratio - 1) * 100, digits: 1)
    return "\(word), \(ratio >= 1 ? "+" : "")\(percent) %"
  }

  private func summary(_ all: [ScannedSeries], alpha: Double) -> [String] {
    let suspicions = all.reduce(0) { $0 + $1.changes.count { $0.pValue != nil } }
    let changes = all.reduce(0) { $0 + $1.changes.count { $0.pValue == nil } }
    let scanned = all.filter { !$0.isShort && !$0.series.isExact }.count
    let exact = all.count { $0.series.isExact }
    var lines = [
      "\(Self.count(suspicions, "suspicion")) in \(Self.count(scanned, "series", "series")), "
        + "\(Self.count(changes, "change")) of exact figures in \(Self.count(exact, "series", "series"))"
    ]
    let isShort = all.filter(\.isShort)
    if !isShort.isEmpty {
      lines.append(
        "\(Self.count(isShort.count, "series", "series")) of fewer than "
          + "\(HistoryScan.leastPoints) commits not scanned")
    }
    if suspicions > 0 {
      let percent = UnitFormatter.fixed(alpha * 100, digits: 1)
      lines.append(
        "A suspicion is no regression until it is measured again. Of series without a change, "
          + "\(percent) % are suspected.")
    }
    return lines.flatMap { HelpText.wrap($0, width: HelpText.width) }
  }

  // MARK: - Pieces

  /// Blocks of lines, those that are not empty, under a heading for every machine.
  private func sections<Element>(
    _ elements: [Element], _ series: (Element) -> HistorySeries, _ block: (Element) -> [String]
  ) -> String {
    var text = ""
    var machine: MachineID?
    for element in elements {
      let own = series(element).key.machineID
      if own != machine {
        let heading = "machine \(own.text)" + (certificate(own).map { ", \($0)" } ?? "")
        text += (text.isEmpty ? "" : "\n") + style.paint(heading, .faint) + "\n"
        machine = own
      }
      let lines = block(element)
      if !lines.isEmpty { text += "\n" + lines.map { $0 + "\n" }.joined() }
    }
    return text
  }

  private static func figure(_ figure: Double, _ series: HistorySeries) -> String {
    series.isExact ? UnitFormatter.text(figure, unit: series.key.subject.unit) : digits(figure)
  }

  private static func digits(_ ratio: Double) -> String { UnitFormatter.fixed(ratio, digits: 3) }

  private static func pValue(_ p: Double) -> String {
    p < 0.001 ? UnitFormatter.fixed(p, digits: 4) : UnitFormatter.fixed(p, digits: 3)
  }

  private static func day(_ point: HistoryPoint) -> String {
    String(point.committed.text.prefix(10))
  }

  private static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }
}
