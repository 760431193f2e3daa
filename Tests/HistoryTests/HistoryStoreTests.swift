// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ExportSamples
import Glibc
import Results
import Synchronization
import TestFolders
import Testing

@testable import History

@Suite("Keeping a history")
struct HistoryStoreTests {
  private static let later = HistorySamples.commit(7)

  private func names(_ store: HistoryStore) -> [String] { TestDirectory.names(in: store.folder) }

  @Test("what is added is read back, in one file per machine")
  func readsBack() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder + "/results/history")
      var exact = HistorySamples.point(
        1, nil, subject: ExportSamples.subject(.tasks, .p50), value: 0)
      exact.branch = nil
      let points = [HistorySamples.point(1, 0.1 + 0.2), exact, HistorySamples.point(2)]
      let addition = try store.append(points)
      #expect(addition == .init(added: 3, known: 0))
      #expect(names(store) == ["h-3fa9c0d2e4b86a17.csv"])
      let read = try store.series().flatMap(\.points)
      #expect(Set(read) == Set(points))
    }
  }

  @Test("adding the same run again changes nothing, and another run of the same commit is refused")
  func addsOnce() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      _ = try store.append([HistorySamples.point(1)])
      let cpu = ExportSamples.subject(.cpu, .p50)
      let again = [HistorySamples.point(1), HistorySamples.point(1, subject: cpu)]
      #expect(try store.append(again) == .init(added: 1, known: 1))
      let bytes = try File.read(store.path(of: HistorySamples.machine))
      #expect(try store.append(again) == .init(added: 0, known: 2))
      // A point that would fit comes to nothing beside one that does not.
      #expect(
        throws: HistoryFailure.refused(
          store.path(of: HistorySamples.machine),
          "the same series and commit as in line 2, by another run", "each of them once",
          "remove that line if the new run shall replace it")
      ) {
        var other = HistorySamples.point(1, run: 9)
        other.added = HistorySamples.moment(9)
        _ = try store.append([HistorySamples.point(2, run: 9), other])
      }
      #expect(try File.read(store.path(of: HistorySamples.machine)) == bytes)
    }
  }

  @Test("a clock that went back adds nothing")
  func refusesOldClock() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      _ = try store.append([HistorySamples.point(5)])
      let failure = #expect(throws: HistoryFailure.self) {
        _ = try store.append([HistorySamples.point(4)])
      }
      guard case .refused(let refusal)? = failure else {
        Issue.record("\(String(describing: failure)); expected a refusal")
        return
      }
      #expect(
        refusal.finding
          == "the clock of this machine is behind its last line: "
          + "\(HistorySamples.moment(6).text) after \(HistorySamples.moment(7).text)")
      #expect(refusal.nextStep == "set the clock")
    }
  }

  @Test("writers at the same time lose nothing")
  func keepsEveryWriter() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      let failures = Mutex(0)
      DispatchQueue.concurrentPerform(iterations: 24) { writer in
        var point = HistorySamples.point(writer + 1)
        point.added = HistorySamples.moment(99)
        do { _ = try store.append([point]) } catch { failures.withLock { $0 += 1 } }
      }
      #expect(failures.withLock { $0 } == 0)
      let series = try store.series()
      #expect(series.map(\.points.count) == [24])
      #expect(names(store) == ["h-3fa9c0d2e4b86a17.csv"])
    }
  }

  @Test("a full disk leaves what was there, and nothing else", arguments: [ENOSPC, EIO, EDQUOT])
  func survivesFullDisk(number: Int32) throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      _ = try store.append([HistorySamples.point(1)])
      let bytes = try File.read(store.path(of: HistorySamples.machine))
      let failure = #expect(throws: HistoryFailure.self) {
        try File.$fault.withValue({ $0 == .write ? .failure(number) : .asIs }) {
          _ = try store.append([HistorySamples.point(2)])
        }
      }
      guard case .writing? = failure else {
        Issue.record("\(String(describing: failure)); expected an error of writing")
        return
      }
      #expect(names(store) == ["h-3fa9c0d2e4b86a17.csv"])
      #expect(try File.read(store.path(of: HistorySamples.machine)) == bytes)
    }
  }

  @Test("another reference begins a series, linked by a commit measured against both")
  func linksByCommit() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      _ = try store.append((1...3).map { HistorySamples.point($0, 1.2) })
      // Commit 9 is in no earlier series, and neither is the new reference.
      let other = String(repeating: "a", count: 40)
      #expect(throws: HistoryFailure.self) {
        _ = try store.append([HistorySamples.point(9, reference: other)])
      }
      var overlap = HistorySamples.point(3, 0.8, reference: other, run: 8)
      overlap.added = HistorySamples.moment(9)
      _ = try store.append([overlap, HistorySamples.point(9, 0.9, reference: other)])
      let series = try store.series()
      #expect(series.map(\.points.count) == [3, 2])
      #expect(series[0].link == nil)
      let link = try #require(series[1].link)
      #expect(link.reference == HistorySamples.reference && link.commit == HistorySamples.commit(3))
      #expect(abs((link.factor ?? 0) - 1.5) < 1e-12)
    }
  }

  @Test("another reference that is a point of the series itself needs no further link")
  func linksByReference() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      _ = try store.append((1...3).map { HistorySamples.point($0, 1.25) })
      _ = try store.append([
        HistorySamples.point(4, 1.1, reference: HistorySamples.commit(2))
      ])
      let link = try #require(try store.series().last?.link)
      #expect(link.commit == HistorySamples.commit(2) && link.factor == 1.25)
    }
  }

  @Test("a series is in the order of its commits, whenever they were added")
  func ordersByCommit() throws {
    var early = HistorySamples.point(1)
    early.added = HistorySamples.moment(50)
    let points = [HistorySamples.point(2), HistorySamples.point(3), early]
    let series = HistorySeries.all(of: points)
    #expect(series.map { $0.points.map(\.commit) } == [(1...3).map(HistorySamples.commit)])
  }
}
