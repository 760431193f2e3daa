// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// The page of a profile: one file that opens from disk without a network.
enum HTMLPage {
  /// Writes the page: the template with its gaps filled, gap by gap.
  static func write<Failure: Error>(
    _ header: TraceHeader, _ data: PageData, charts: ChartLibrary,
    to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    for piece in pieces {
      switch piece {
      case .text(let bytes): try sink(bytes)
      case .gap("title"):
        try sink(Array(escaped("\(header.workload) on \(header.scheduler)").utf8))
      case .gap("style"): try sink(PackageResources.page_css)
      case .gap("library"): try sink(Array(escaped(charts.name).utf8))
      case .gap("licence"): try sink(Array(escaped(charts.licence).utf8))
      case .gap("charts"): try sink(inline(charts.script))
      case .gap("data"): try sink(Array(data.text.utf8))
      case .gap("script"): try sink(script)
      case .gap(let name): fatalError("HTMLPage: page.html has a gap `\(name)` that nothing fills")
      }
    }
  }

  private enum Piece {
    case text([UInt8])
    case gap(String)
  }

  /// The template, cut at its gaps.
  private static let pieces: [Piece] = {
    let template = PackageResources.page_html
    var pieces: [Piece] = []
    var start = 0
    var place = 0
    while place + 1 < template.count {
      guard template[place] == UInt8(ascii: "{"), template[place + 1] == UInt8(ascii: "{") else {
        place += 1
        continue
      }
      guard let end = template[place...].firstIndex(of: UInt8(ascii: "}")) else { break }
      pieces.append(.text(Array(template[start..<place])))
      pieces.append(.gap(String(decoding: template[(place + 2)..<end], as: UTF8.self)))
      start = end + 2
      place = start
    }
    return pieces + [.text(Array(template[start...]))]
  }()

  /// Our own scripts, in the order in which they need each other.
  private static var script: [UInt8] {
    PackageResources.profile_js + PackageResources.details_js + PackageResources.charts_js
      + PackageResources.gantt_js + PackageResources.page_js
  }

  /// A script in a form that does not end the element that it stands in.
  ///
  /// Between `<` and `/script` a backslash changes neither a string nor a regular expression, and
  /// scripts have that text nowhere else.
  private static func inline(_ script: [UInt8]) -> [UInt8] {
    let end = Array("</script".utf8)
    var safe: [UInt8] = []
    safe.reserveCapacity(script.count + 16)
    for (place, byte) in script.enumerated() {
      safe.append(byte)
      guard byte == end[0], place + end.count <= script.count else { continue }
      // Letters of an element's name count in either case.
      let isEnd = zip(script[place..<(place + end.count)], end).allSatisfy {
        $0 == $1 || $0 | 0x20 == $1 && $1 >= UInt8(ascii: "a")
      }
      if isEnd { safe.append(UInt8(ascii: "\\")) }
    }
    return safe
  }

  /// Text as it may stand between tags.
  static func escaped(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": safe += "&amp;"
      case "<": safe += "&lt;"
      case ">": safe += "&gt;"
      case "\"": safe += "&quot;"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
