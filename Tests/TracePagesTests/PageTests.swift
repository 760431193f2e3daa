// SPDX-License-Identifier: Apache-2.0

import Encodings
import Foundation
import Testing
import TraceSamples
import Traces

@testable import TracePages

/// A page that has been made, as a browser would take it apart.
private struct ReadPage {
  let text: String
  let data: [String: Any]
  private var columns: [String: [String: [Int64?]]] = [:]

  init(
    _ trace: Trace, perturbation: Perturbation? = nil,
    comparison: (PageComparison, place: Int)? = nil,
    script: String = "window.vegaEmbed = null;"
  ) throws {
    let charts = ChartLibrary(name: "Charts 1", licence: "Use <it>.", script: Array(script.utf8))
    let bytes = TracePages.html(
      trace, report: TraceReport(trace, perturbation: perturbation), comparison: comparison,
      charts: charts)
    text = String(decoding: bytes, as: UTF8.self)
    let start = try #require(text.range(of: "id=\"data\">")?.upperBound)
    let end = try #require(text.range(of: "</script>", range: start..<text.endIndex)?.lowerBound)
    let object = try JSONSerialization.jsonObject(with: Data(text[start..<end].utf8))
    data = try #require(object as? [String: Any])
    let packed = try Base64.decoded(try #require(data["columns"] as? String))
    var bytesLeft = try Zlib.inflated(packed, limit: 1 << 26)[...]
    let layout = try #require(data["layout"] as? [String: [String]])
    let counts = try #require(data["counts"] as? [String: Int])
    for table in ["operations", "edges", "pauses", "chain"] {
      for name in try #require(layout[table]) {
        let count = try #require(counts[table])
        columns[table, default: [:]][name] = Self.column(count, &bytesLeft)
      }
    }
    #expect(bytesLeft.isEmpty)
  }

  func column(_ table: String, _ name: String) throws -> [Int64?] {
    try #require(columns[table]?[name])
  }

  /// Written from the format's description, not from the code that writes it.
  private static func column(_ count: Int, _ bytes: inout ArraySlice<UInt8>) -> [Int64?] {
    var before: Int64 = 0
    return (0..<count).map { _ in
      var code: UInt64 = 0
      var shift: UInt64 = 0
      while let byte = bytes.popFirst() {
        code |= UInt64(byte & 127) << shift
        shift += 7
        if byte < 128 { break }
      }
      guard code > 0 else { return nil }
      let half = Int64((code - 1) / 2)
      before += (code - 1).isMultiple(of: 2) ? half : -half - 1
      return before
    }
  }
}

@Suite struct PageTests {
  private let trace = PlausibleTrace(layers: 12, width: 10, workers: 3, seed: 5).made()

  @Test func columnsHoldEveryOperationAndEdgeOfTheRecording() throws {
    let page = try ReadPage(trace)
    #expect(try page.column("operations", "started") == trace.operations.map(\.started))
    #expect(try page.column("operations", "finished") == trace.operations.map(\.finished))
    #expect(try page.column("operations", "returned").allSatisfy { $0 == nil })
    #expect(
      try page.column("operations", "releasedBy")
        == trace.operations.map { $0.releasedBy < 0 ? nil : Int64($0.releasedBy) })
    #expect(
      try page.column("edges", "predecessor") == trace.edges.map { Int64($0.predecessor) })
    #expect(try page.column("edges", "successor") == trace.edges.map { Int64($0.successor) })
  }

  @Test func theChainIsTheOneOfTheReport() throws {
    let page = try ReadPage(trace)
    let path = try #require(TraceReport(trace).graph?.realisedPath)
    #expect(try page.column("chain", "start") == path.stretches.map { Int64($0.begin) })
    #expect(try page.column("chain", "part") == path.stretches.map { Int64($0.part.rawValue) })
  }

  @Test func theAreasOfTheProfileAreWorkersTimesDuration() throws {
    let page = try ReadPage(trace)
    let profile = try #require(page.data["parallelism"] as? [String: Any])
    let step = try #require(profile["step"] as? Double)
    func area(_ name: String) throws -> Double {
      try #require(profile[name] as? [Double]).reduce(0, +) * step
    }
    let busy = trace.operations.reduce(0.0) { sum, operation in
      sum + Double((operation.finished ?? 0) - (operation.started ?? 0))
    }
    let all = 3 * Double(trace.header.durationNanoseconds)
    // Means are written with three decimals.
    #expect(abs(try area("running") - busy) < all / 1000)
    #expect(abs(try area("running") + area("waiting") + area("idle") - all) < all / 1000)
  }

  @Test func namesOfOperationsCannotEndTheElementThatTheyStandIn() throws {
    var trace = trace
    trace.names.append("</script><script>alert(1)</script>")
    trace.operations[0].name = UInt32(trace.names.count - 1)
    trace.header.workload = "<b>&\"bold\""
    let page = try ReadPage(trace)
    #expect(!page.text.contains("alert(1)</script>"))
    #expect((page.data["names"] as? [String])?.last == trace.names.last)
    #expect(page.text.contains("<title>&lt;b&gt;&amp;&quot;bold&quot; on work-stealing</title>"))
  }

  @Test func theLibraryCannotEndItsElementAndItsLicenceIsText() throws {
    let page = try ReadPage(trace, script: "const a = '</script>' + '</SCRIPT>' + '</scripture>';")
    #expect(page.text.contains("'<\\/script>' + '<\\/SCRIPT>' + '<\\/scripture>'"))
    #expect(page.text.contains("Use &lt;it&gt;."))
  }

  @Test func thePageAsksForNothingFromElsewhere() throws {
    let text = try ReadPage(trace).text
    #expect(text.contains("default-src 'none'"))
    #expect(!text.contains("src=\"http") && !text.contains("href=\"http"))
    #expect(!text.contains("{{"))
  }

  @Test func aRecordingWithLossesSaysHowLargeRingsMustBe() throws {
    var trace = trace
    trace.header.droppedEvents = 12
    trace.header.neededRingEvents = 4096
    let page = try ReadPage(trace)
    let sentence = try #require(page.data["sentence"] as? String)
    #expect(sentence.contains("12 events") && sentence.contains("4096"))
    #expect(try page.column("chain", "start").isEmpty)
  }

  @Test func noCauseIsShownWhereTheRecordingChangedTheRun() throws {
    let distorted = Perturbation(ratio: 1.4, low: 1.3, high: 1.5)
    let page = try ReadPage(trace, perturbation: distorted)
    #expect((page.data["causes"] as? [Any])?.isEmpty == true)
    #expect(page.data["refusal"] as? String == page.data["sentence"] as? String)
    let notes = try #require(page.data["notes"] as? [String])
    #expect(notes.contains { $0.contains("by +40.0 %, 95 % interval +30.0 % to +50.0 %") })
    #expect(try ReadPage(trace).data["refusal"] is NSNull)
  }

  @Test func thePageOfEachOfTwoShowsBothAndLeadsToTheOther() throws {
    let first = PageComparison.Side(
      scheduler: "a", page: "profile.html", times: (10, 11, 12), parts: [(.run, 7), (.idle, 5)])
    let second = PageComparison.Side(
      scheduler: "b", page: "profile-b.html", times: (20, 21, 22), parts: [(.run, 8), (.idle, 0)])
    let both = PageComparison(sentence: "b took twice as long.", first: first, second: second)
    for place in [0, 1] {
      let page = try ReadPage(trace, comparison: (both, place: place))
      let shown = try #require(page.data["comparison"] as? [String: Any])
      #expect(shown["sentence"] as? String == "b took twice as long.")
      #expect(shown["own"] as? Int == place)
      let sides = try #require(shown["sides"] as? [[String: Any]])
      #expect(sides.map { $0["scheduler"] as? String } == ["a", "b"])
      #expect(sides.map { $0["page"] as? String } == ["profile.html", "profile-b.html"])
      let times = ["least", "median", "most"].map { name in sides.map { $0[name] as? Int } }
      #expect(times == [[10, 20], [11, 21], [12, 22]])
      let parts = try #require(sides[0]["parts"] as? [[String: Any]])
      #expect(parts.map { $0["part"] as? String } == ["run", "idle"])
      #expect(parts.map { $0["nanoseconds"] as? Int } == [7, 5])
    }
    #expect(try ReadPage(trace).data["comparison"] is NSNull)
  }

  @Test func aPageOfAnEmptyRecordingIsMade() throws {
    #expect(try ReadPage(Trace(header: TraceHeader())).column("operations", "name").isEmpty)
  }

  @Test func aMissingLibraryNamesItsFolderAndTheCommandThatFetchesIt() throws {
    let missing = #expect(throws: ChartLibraryMissing.self) {
      try ChartLibrary.installed(environment: ["BENCH_CHARTS": "/nowhere/charts"])
    }
    #expect(missing?.description.contains("/nowhere/charts") == true)
    #expect(missing?.description.contains("scripts/fetch-charts") == true)
    let none = #expect(throws: ChartLibraryMissing.self) {
      try ChartLibrary.installed(environment: [:])
    }
    #expect(none?.description.contains("HOME") == true)
  }
}
