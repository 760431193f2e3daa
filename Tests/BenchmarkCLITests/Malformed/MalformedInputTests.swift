// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Foundation
import History
import MeasurementFixtures
import Results
import TestFolders
import Testing

@testable import BenchmarkCLI

/// Every malformed file, through the verbs that read one of its kind.
///
/// Each of them names place, finding, expectation and remedy, ends with 65, shows nothing else, and
/// leaves the file as it is.
@Suite("Malformed files")
struct MalformedInputTests {
  /// Runs the tool in this process.
  private static func run(_ words: [String]) -> (code: Int32, out: String, talk: String) {
    var out = ""
    var talk = ""
    let console = Console(out: { text throws(ToolFailure) in out += text }, talk: { talk += $0 })
    let code = CommandLineTool(suite: Fixtures.suite, environment: [:], console: console).run(words)
    return (code.rawValue, out, talk)
  }

  /// Runs the body with the file in a folder, and sees that neither changes.
  private static func with(
    _ bytes: [UInt8], at name: String, _ body: (_ path: String, _ folder: String) throws -> Void
  ) throws {
    try TestDirectory.with { folder in
      let path = "\(folder)/\(name)"
      try File.makeDirectories(File.directory(of: path))
      try AtomicFile.write(bytes, to: path, overwrite: false)
      let names = TestDirectory.names(in: File.directory(of: path))
      try body(path, folder)
      #expect(try File.read(path) == bytes)
      #expect(TestDirectory.names(in: File.directory(of: path)) == names)
    }
  }

  /// Sees that the verb refuses the file with just that message.
  private static func expectRefusal(_ words: [String], _ message: String) {
    let result = run(words)
    #expect(result.code == 65, "\(words): \(result)")
    #expect(result.talk == "bench: \(message)\n", "\(words)")
    #expect(result.out.isEmpty, "\(words): \(result.out)")
  }

  /// Sees that the body refuses the file with just that message.
  private static func expectRefusal(_ message: String, _ body: () throws -> Void) {
    let failure = #expect(throws: ToolFailure.self) { try body() }
    #expect(failure?.code == .malformedInput)
    #expect(failure?.description == message)
  }

  @Test func theCorpusIsLarge() {
    #expect(MalformedInput.cells.count >= 60 && MalformedInput.rows.count >= 20)
    #expect(MalformedInput.limits.count >= 35)
    #expect(MalformedInput.baselines.count >= 20)
    #expect(MalformedInput.counts.count >= 15)
    #expect(MalformedInput.histories.count >= 29)
  }

  @Test("results", arguments: MalformedInput.cells + MalformedInput.rows)
  func resultsAreRefused(_ input: MalformedInput) throws {
    try Self.with(input.bytes, at: "bad.csv") { path, folder in
      let message = path + input.message
      Self.expectRefusal(["report", path], message)
      Self.expectRefusal(["report", path, "--format", "jmh"], message)
      Self.expectRefusal(["compare", path, path], message)
      Self.expectRefusal(["history", "add", path, "--history", folder], message)
      // Asked whether a file is sound, the tool answers and has not failed.
      let check = Self.run(["schema", "--check", path])
      #expect(check.code == 1 && check.talk.isEmpty, "\(check)")
      #expect(check.out.hasPrefix(message + "\n"), "\(check)")
    }
  }

  @Test("one broken cell is one finding", arguments: MalformedInput.cells)
  func cellsAreNotBlamedForEachOther(_ input: MalformedInput) {
    #expect(SchemaCheck.check(input.bytes, path: "").map(\.description) == [input.message])
  }

  @Test("limits", arguments: MalformedInput.limits)
  func limitsAreRefused(_ input: MalformedInput) throws {
    try Self.with(input.bytes, at: "limits") { path, _ in
      Self.expectRefusal(["check", "--dry-run", "--limits", path], path + input.message)
    }
  }

  @Test("baselines", arguments: MalformedInput.baselines)
  func baselinesAreRefused(_ input: MalformedInput) throws {
    try Self.with(input.bytes, at: Self.baselinePath) { path, folder in
      let shelf = try Self.shelf(folder)
      let message = path + input.message
      Self.expectRefusal(message) { try shelf.list(isJSON: false) }
      Self.expectRefusal(message) { try shelf.show("main", isJSON: true) }
      Self.expectRefusal(message) {
        _ = try shelf.baseline(named: "main", of: ExportSamples.identity().machineID)
      }
    }
  }

  @Test("counts", arguments: MalformedInput.counts)
  func countsAreRefused(_ input: MalformedInput) throws {
    try Self.with(input.bytes, at: Self.countsPath) { path, folder in
      let message = path + input.message
      Self.expectRefusal(["counts", "chain", "--allow-debug", "--baseline", path], message)
      Self.expectRefusal(message) { _ = try Self.shelf(folder).counts(named: "main") }
    }
  }

  @Test("histories", arguments: MalformedInput.histories)
  func historiesAreRefused(_ input: MalformedInput) throws {
    try Self.with(input.bytes, at: Self.historyPath) { path, folder in
      let message = path + input.message
      let place = ["--history", "\(folder)/history"]
      Self.expectRefusal(["history", "show"] + place, message)
      Self.expectRefusal(["history", "scan"] + place, message)
      Self.expectRefusal(["history", "export", "--output", "\(folder)/otava"] + place, message)
      #expect(TestDirectory.names(in: folder) == ["history"])
      // Nothing is added behind what nobody can read.
      let store = HistoryStore(folder: "\(folder)/history")
      #expect(throws: HistoryFailure.self) { _ = try store.append([HistorySamples.point(9)]) }
    }
  }

  // MARK: - Whatever happens to a sound file

  /// A sound file: where it lies, and what reads it.
  private struct Sound {
    let path: String
    let bytes: [UInt8]
    let read: (_ path: String, _ folder: String) throws -> (code: Int32, talk: String)

    static var all: [Sound] {
      get throws {
        func told(_ result: (code: Int32, out: String, talk: String)) -> (Int32, String) {
          (result.code, result.talk)
        }
        func told(_ body: () throws -> Void) rethrows -> (Int32, String) {
          do { try body() } catch let failure as ToolFailure {
            return (failure.code.rawValue, "bench: \(failure)\n")
          }
          return (0, "")
        }
        return [
          Sound(path: "good.csv", bytes: CSV.encode(Array(SampleRows.rows().prefix(1)))) {
            path, _ in
            try told { _ = try StoredRun(path: path, console: console) }
          },
          Sound(
            path: "limits",
            bytes: Array("# one\nchain * wall tolerance 3%\nfan inline cpu limit 5us\n".utf8)
          ) { path, _ in told(run(["check", "chain", "--dry-run", "--limits", path])) },
          Sound(path: baselinePath, bytes: Array(MalformedInput.soundBaseline.file.utf8)) {
            _, folder in try told { _ = try shelf(folder).baseline(named: "main") }
          },
          Sound(path: countsPath, bytes: Array(MalformedInput.soundCounts.file.utf8)) {
            _, folder in try told { _ = try shelf(folder).counts(named: "main") }
          },
          Sound(
            path: historyPath,
            bytes: Array(MalformedInput.soundHistory.without(4).without(3).file.utf8)
          ) {
            _, folder in told(run(["history", "show", "--history", "\(folder)/history"]))
          },
        ]
      }
    }
  }

  /// Sees that the file, whatever is in it, is either read or refused with its place.
  private static func expectSense(
    _ sound: Sound, _ changes: [(what: String, bytes: [UInt8])]
  ) throws {
    try TestDirectory.with { folder in
      let path = "\(folder)/\(sound.path)"
      try File.makeDirectories(File.directory(of: path))
      for change in changes {
        try Data(change.bytes).write(to: URL(filePath: path))
        let result = try sound.read(path, folder)
        #expect(try File.read(path) == change.bytes)
        guard result.code != 0 else { continue }
        #expect(result.code == 65, "\(sound.path), \(change.what): \(result)")
        // A history without points is told by its folder.
        #expect(
          result.talk.hasPrefix("bench: \(File.directory(of: path))")
            && result.talk.contains("; expected ")
            && result.talk.dropLast().allSatisfy { $0 != "\n" },
          "\(sound.path), \(change.what): \(result)")
      }
    }
  }

  @Test func aFileThatEndsAtAnyByteIsReadOrRefused() throws {
    for sound in try Sound.all {
      try Self.expectSense(
        sound, sound.bytes.indices.map { ("\($0) bytes", Array(sound.bytes.prefix($0))) })
      try Self.with(sound.bytes, at: sound.path) { path, folder in
        let whole = try sound.read(path, folder)
        #expect(whole.code == 0, "\(whole)")
      }
    }
  }

  @Test func aFileWithAByteChangedIsReadOrRefused() throws {
    // Another one at each place, so that every column sees all of them in some line.
    let others: [UInt8] = [0, 0xFF, 0x0A, 0x2C, 0x22, 0x2D, 0x39, 0x0D, 0xC3]
    for sound in try Sound.all {
      try Self.expectSense(
        sound,
        stride(from: 0, to: sound.bytes.count, by: 4).map { place in
          var bytes = sound.bytes
          bytes[place] = others[place / 4 % others.count]
          return ("byte \(place) is \(bytes[place])", bytes)
        })
    }
  }

  // MARK: - Places

  private static let machine = "h-3fa9c0d2e4b86a17"
  private static let baselinePath = "baselines/\(machine)/main.baseline"
  private static let countsPath = "baselines/\(machine)/main.counts.csv"
  private static let historyPath = "history/\(machine).csv"

  private static func shelf(_ folder: String) throws -> BaselineShelf {
    BaselineShelf(
      store: BaselineStore(
        resultsFolder: folder, machine: ExportSamples.identity().machineID),
      console: console)
  }

  private static var console: Console { Console(out: { _ in }, talk: { _ in }) }
}
