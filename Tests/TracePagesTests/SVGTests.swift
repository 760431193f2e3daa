// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import Testing
import TracePages
import TraceSamples
import Traces

/// Counts the elements of a picture as a reader of XML finds them.
private final class ReadPicture: NSObject, XMLParserDelegate {
  private(set) var rectangles: [[String: String]] = []
  private(set) var words = ""

  init?(_ trace: Trace) {
    super.init()
    let parser = XMLParser(data: Data(TracePages.svg(trace)))
    parser.delegate = self
    guard parser.parse() else { return nil }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    if name == "rect" { rectangles.append(attributes) }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) { words += characters }
}

@Suite struct SVGTests {
  @Test func aPictureIsXMLWhateverNamesHold() throws {
    var trace = PlausibleTrace(layers: 5, width: 5, workers: 2, seed: 2).made()
    trace.header.workload = "a<b & \"c\""
    trace.names[1] = "closure </svg>"
    let picture = try #require(ReadPicture(trace))
    #expect(picture.words.contains("a<b & \"c\""))
    #expect(picture.words.contains("closure </svg>"))
  }

  @Test func operationsThatCanBeToldApartHaveARectangleOfTheirLength() throws {
    var trace = Trace(header: TraceHeader(workers: 1, durationNanoseconds: 1000))
    trace.threads = [TraceThread(worker: 0)]
    for start in stride(from: Int64(0), to: 1000, by: 250) {
      var operation = TracedOperation()
      operation.thread = 0
      operation.started = start
      operation.finished = start + 125
      trace.operations.append(operation)
    }
    let drawn = try #require(ReadPicture(trace)).rectangles.filter { $0["height"] == "18" }
    #expect(drawn.count == 4)
    let widths = Set(drawn.compactMap { $0["width"].flatMap(Double.init) })
    let all = try #require(drawn.first.flatMap { $0["width"] }.flatMap(Double.init)) * 8
    #expect(widths.count == 1)
    let lefts = drawn.compactMap { $0["x"].flatMap(Double.init) }
    #expect(zip(lefts, lefts.dropFirst()).allSatisfy { abs($1 - $0 - all / 4) < 0.02 })
  }

  @Test func aPictureGrowsWithThreadsNotWithOperations() {
    let trace = PlausibleTrace(layers: 300, width: 100, workers: 2, seed: 1).made()
    #expect(trace.operations.count == 30_000)
    #expect(TracePages.svg(trace).count < 600_000)
  }

  @Test func stealsAreCountedFromVictimToThief() throws {
    let trace = PlausibleTrace(layers: 20, width: 10, workers: 3, seed: 4).made()
    let picture = try #require(ReadPicture(trace))
    let cells = picture.rectangles.filter { $0["class"] == "cell" }
    #expect(cells.count == 6)
    #expect(picture.words.contains("thief (row)"))
  }
}
