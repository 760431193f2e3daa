// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// A recording as one SVG: the timeline of its threads, and below it who stole from whom.
///
/// For machines without the chart library and for documents. It cannot be zoomed into: neighbours
/// that are too short to be told apart share a rectangle.
struct TracePicture {
  /// Where the parts of the picture lie, in pixels.
  enum Layout {
    static let width = 1600.0
    static let margin = 16.0
    /// Room for the names of threads.
    static let labels = 120.0
    static let row = 26.0
    static let heading = 56.0
    static let axis = 34.0
    static let cell = 40.0
    /// The part of the width that stands for the time of the recording.
    static var plot: Double { width - labels - 2 * margin }
  }

  /// Colours of classes, which readers tell apart on white and on black; further ones share them.
  static let palette = [
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#edc948", "#9c755f",
  ]

  private let trace: Trace
  private var text = TextBuffer()

  private init(_ trace: Trace) { self.trace = trace }

  /// Writes the document.
  ///
  /// O(operations log operations); the picture grows with the threads alone.
  static func write<Failure: Error>(
    _ trace: Trace, to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var picture = TracePicture(trace)
    let timeline = TimelinePicture(trace)
    let steals = StealPicture(StealCounts(trace))
    let height = Layout.heading + timeline.height + steals.height + Layout.margin
    picture.begin(height: height, classes: timeline.classes)
    try picture.text.drain(to: sink)
    try timeline.draw(into: &picture.text, top: Layout.heading, to: sink)
    steals.draw(into: &picture.text, top: Layout.heading + timeline.height)
    picture.text.append("</svg>\n")
    try picture.text.drain(to: sink, whole: true)
  }

  /// The head of the document, its title and the legend of the classes.
  private mutating func begin(height: Double, classes: [String]) {
    let header = trace.header
    let title = HTMLPage.escaped(
      "\(header.workload) on \(header.scheduler), \(header.durationNanoseconds.duration)")
    text.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
    text.append(coordinate: Layout.width)
    text.append(" ")
    text.append(coordinate: height)
    text.append(
      "\" role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">\(title)</title>\n")
    text.append(Self.style)
    text.append("<text class=\"title\" x=\"16\" y=\"24\">\(title)</text>\n")
    var left = Layout.margin + Layout.labels
    for (place, name) in classes.enumerated() {
      let label = HTMLPage.escaped(name)
      text.append(
        "<rect class=\"k\(place % Self.palette.count)\" y=\"36\" width=\"11\" height=\"11\" x=\"")
      text.append(coordinate: left)
      text.append("\"/><text y=\"46\" x=\"")
      text.append(coordinate: left + 16)
      text.append("\">\(label)</text>\n")
      // The width of text is known to its reader alone.
      left += 40 + 7.5 * Double(name.count)
      if left > Layout.width - 200 { break }
    }
  }

  /// Colours for light and dark readers.
  private static var style: String {
    let classes = palette.enumerated().map { ".k\($0) { fill: \($1); }" }.joined(separator: " ")
    return """
      <style>
      text { font: 12px system-ui, sans-serif; fill: #333; } .title { font-size: 15px; font-weight: 600; }
      .name { text-anchor: end; } .tick { text-anchor: middle; } .figure { text-anchor: middle; }
      .line { stroke: #ccc; } .parked { fill: #ddd; } .searching { fill: #e9d9a6; } .cell { fill: #4e79a7; }
      \(classes)
      @media (prefers-color-scheme: dark) {
        svg { background: #15171a; } text { fill: #ddd; } .line { stroke: #444; } .parked { fill: #3a3f46; }
        .searching { fill: #7a6a3a; }
      }
      </style>

      """
  }
}
