// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Results
import Testing

@testable import History

@Suite("Changes in a history")
struct HistoryScanTests {
  private func changes(_ points: [HistoryPoint]) -> [HistoryChange] {
    var scan = HistoryScan(seed: 1)
    return HistorySeries.all(of: points).flatMap { scan.changes(in: $0) }
  }

  @Test("a planted step is found at its commit, with its size, and flat series have none")
  func findsStep() throws {
    var scan = HistoryScan(seed: 1)
    for series in HistorySamples.series {
      let found = scan.changes(in: series)
      guard series.key.subject.benchmark == HistorySamples.planted else {
        if !series.isExact { #expect(found.isEmpty, "\(series.name)") }
        continue
      }
      try #require(found.count == 1, "\(series.name)")
      #expect(found[0].before.commit == HistorySamples.commit(39))
      #expect(found[0].after.commit == HistorySamples.commit(40))
      let factor = series.key.subject.metric == .efficiency ? 0.8 : 1.2
      #expect(abs((found[0].ratio ?? 0) / factor - 1) < 0.01)
      #expect((found[0].pValue ?? 1) < 0.001)
      // More of a time is worse, and less of an efficiency.
      #expect(found[0].isWorse == true)
    }
  }

  @Test("each of two steps has the size between its neighbours")
  func findsTwoSteps() throws {
    let points = (1...90).map { number in
      let level = number < 30 ? 1 : number < 60 ? 1.5 : 0.75
      return HistorySamples.point(number, HistorySamples.noise(number) * level)
    }
    let found = changes(points)
    #expect(found.map(\.after.commit) == [30, 60].map(HistorySamples.commit))
    #expect(found.map(\.isWorse) == [true, false])
    for (change, ratio) in zip(found, [1.5, 0.5]) {
      #expect(abs((change.ratio ?? 0) / ratio - 1) < 0.01)
    }
  }

  @Test("of an exact figure every difference is a change, and none is a suspicion")
  func comparesExactFigures() throws {
    let tasks = ExportSamples.subject(.tasks, .p50)
    let values: [Double] = [5, 5, 6, 6, 0, 4]
    let points = values.enumerated().map { place, value in
      HistorySamples.point(place + 1, value > 0 ? 1 : nil, subject: tasks, value: value)
    }
    let found = changes(points)
    #expect(found.map(\.after.commit) == [3, 5, 6].map(HistorySamples.commit))
    #expect(found.map(\.ratio) == [1.2, 0, nil])
    #expect(found.allSatisfy { $0.pValue == nil && $0.isWorse == nil })
  }
}
