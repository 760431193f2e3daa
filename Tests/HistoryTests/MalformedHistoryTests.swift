// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Glibc
import Results
import TestFolders
import Testing

@testable import History

/// How an entry is spoiled, and what is said of it behind the path.
struct Spoiled: Sendable, CustomTestStringConvertible {
  let name: String
  let message: String
  /// Takes the lines of a sound file, the header first, without line feeds.
  let spoil: @Sendable ([String]) -> String

  var testDescription: String { name }

  init(_ name: String, _ message: String, _ spoil: @escaping @Sendable ([String]) -> String) {
    self.name = name
    self.message = message
    self.spoil = spoil
  }

  /// A cell of line 3 is replaced.
  init(_ column: HistoryColumn, _ cell: String, _ message: String) {
    self.init("\(column.rawValue) is \(cell)", ":3: \(column.rawValue): " + message) { lines in
      var lines = lines
      var cells = lines[2].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      cells[column.index] = cell
      lines[2] = cells.joined(separator: ",")
      return whole(lines)
    }
  }
}

private func whole(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

private let restore = "bring the line back from git, or remove it and add that run again"

@Suite("Malformed histories")
struct MalformedHistoryTests {
  static let corpus: [Spoiled] = [
    Spoiled(
      "cut line",
      ":4: the last line is cut off; expected every line to end with a line feed; remove the line "
        + "and add that run again"
    ) { String(whole($0).dropLast(30)) },
    Spoiled(
      "line feed lost at the end",
      ":4: the last line is cut off; expected every line to end with a line feed; remove the line "
        + "and add that run again"
    ) { String(whole($0).dropLast()) },
    Spoiled(
      "a field too few",
      ":3: 19 fields; expected 20, as in the header; the line may be cut off: remove it and add "
        + "that run again"
    ) { whole([$0[0], $0[1], $0[2].split(separator: ",", maxSplits: 1)[1] + "", $0[3]]) },
    Spoiled(
      "a field too many",
      ":3: 21 fields; expected 20, as in the header; the line may be cut off: remove it and add "
        + "that run again"
    ) { whole([$0[0], $0[1], $0[2] + ",", $0[3]]) },
    Spoiled(
      "mark of a merge",
      ":2: a mark of a merge that is not settled; expected points alone; keep the lines of both "
        + "sides, sorted by their first column, and remove the marks"
    ) { whole([$0[0], "<<<<<<< HEAD", $0[1], "=======", $0[2], ">>>>>>> other"]) },
    Spoiled(
      "wrong header",
      ":1: commit: \"revision\" in the header; expected \(HistoryColumn.header); bring the first "
        + "line back"
    ) { whole([$0[0].replacing("committed,commit,", with: "committed,revision,"), $0[1]]) },
    Spoiled(
      "no header",
      ":1: added: \"2026-01-02T12:00:00Z\" in the header; expected \(HistoryColumn.header); bring "
        + "the first line back"
    ) { whole(Array($0.dropFirst())) },
    Spoiled(
      "empty file",
      ":1: an empty file; expected a header and points; remove the file, or bring it back from git"
    ) { _ in "" },
    Spoiled(
      "duplicate point",
      ":4: commit: the same series and commit as in line 3; expected each of them once; remove one "
        + "of the lines"
    ) { whole([$0[0], $0[1], $0[2], $0[2]]) },
    Spoiled(
      "time backwards",
      ":3: added: 2026-01-02T12:00:00Z after 2026-01-03T00:00:00Z; expected lines in the order in "
        + "which they were added; sort the lines below the header by their first column"
    ) { whole([$0[0], $0[2], $0[1]]) },
    Spoiled(
      "reference without a link",
      ":4: reference: the series against aaaaaaaaaa begins without a link to that against "
        + "6180120d52; expected the new reference, or the first commit measured against it, to be "
        + "a point of the earlier series; measure a commit of the earlier series against the new "
        + "reference first"
    ) { lines in
      whole(lines.dropLast() + [lines[3].replacing(HistorySamples.reference, with: otherReference)])
    },
    Spoiled(
      "references mixed",
      ":5: reference: 6180120d52 again after aaaaaaaaaa; expected one reference after the other, "
        + "never mixed; remove the line, and add the commit measured against the later reference"
    ) { lines in
      // The link is the point of line 3, measured again against the other reference.
      let linked = lines[2].replacing(HistorySamples.reference, with: otherReference)
      return whole([lines[0], lines[1], lines[2], linked, lines[3]])
    },
    Spoiled(
      "carriage returns",
      ":1: a carriage return; expected lines ending in a line feed alone; convert the file"
    ) { whole($0.map { $0 + "\r" }) },
    Spoiled(
      .commit, "HEAD", "\"HEAD\"; expected 40 hexadecimal digits; \(restore)"),
    Spoiled(
      .reference, "", "empty; expected 40 hexadecimal digits; \(restore)"),
    Spoiled(
      .machineID, "h:0000000000000000",
      "another machine, h:0000000000000000; expected h:3fa9c0d2e4b86a17; move the line to the file "
        + "of that machine"),
    Spoiled(
      .ratio, "nan", "\"nan\"; expected a finite decimal number from 0 up; \(restore)"),
    Spoiled(
      .ratio, "-1.02", "\"-1.02\"; expected a finite decimal number from 0 up; \(restore)"),
    Spoiled(.ratio, "0", "0; expected a number above 0; \(restore)"),
    Spoiled(
      .ratio, "", "empty; expected a finite decimal number from 0 up; \(restore)"),
    Spoiled(
      .ciLow, "2",
      "2 to 1.01 around the ratio \"1.0\"; expected ci_low <= ratio <= ci_high; "
        + restore),
    Spoiled(
      .ciHigh, "",
      "empty beside the others; expected ci_low, ci_high and ci_level, or none; \(restore)"),
    Spoiled(.ciLevel, "95", "95; expected more than 0 and less than 1; \(restore)"),
    Spoiled(.pairs, "0", "\"0\"; expected a whole number from 1 up; \(restore)"),
    Spoiled(
      .added, "yesterday",
      "\"yesterday\"; expected a moment such as 2026-01-31T12:00:00Z; \(restore)"),
    Spoiled(.metric, "speed", "\"speed\"; expected a metric of `bench schema`; \(restore)"),
    Spoiled(
      .params, "workers:2;width:9",
      "\"workers:2;width:9\"; expected name:value joined by ; and sorted by name; \(restore)"),
    Spoiled(
      .benchmark, "a/b", "\"a/b\"; expected one or more of A-Z a-z 0-9 _ -; \(restore)"),
    Spoiled(
      .runID, "7", "\"7\"; expected 26 characters such as \(Column.runID.example); \(restore)"),
  ]

  private static let otherReference = String(repeating: "a", count: 40)

  private func lines() -> [String] {
    var file = HistoryFile()
    for number in 1...3 { file.append(HistorySamples.point(number)) }
    return String(decoding: file.encoded(), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  @Test("what is wrong is told with place, finding, expectation and next step", arguments: corpus)
  func isTold(_ spoiled: Spoiled) throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      let path = store.path(of: HistorySamples.machine)
      try AtomicFile.write(Array(spoiled.spoil(lines()).utf8), to: path, overwrite: false)
      let failure = #expect(throws: HistoryFailure.self) { _ = try store.series() }
      guard case .malformed(let finding)? = failure else {
        Issue.record("\(String(describing: failure)); expected a finding")
        return
      }
      #expect(finding.description == path + spoiled.message)
      // Nothing is added behind what nobody can read.
      let bytes = try File.read(path)
      #expect(throws: HistoryFailure.self) { _ = try store.append([HistorySamples.point(9)]) }
      #expect(try File.read(path) == bytes)
    }
  }

  @Test("a commit has one moment")
  func momentsAgree() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      _ = try store.append([HistorySamples.point(1)])
      var other = HistorySamples.point(1, subject: ExportSamples.subject(.cpu, .p50))
      other.committed = HistorySamples.moment(3)
      let failure = #expect(throws: HistoryFailure.self) { _ = try store.append([other]) }
      guard case .refused(let refusal)? = failure else {
        Issue.record("\(String(describing: failure)); expected a refusal")
        return
      }
      #expect(refusal.expectation == "one moment per commit, as in line 2")
    }
  }

  @Test("the pinned reference is one commit in full")
  func readsReference() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      let pin = "pin one, such as `git rev-parse HEAD >\(store.referencePath)`"
      #expect(
        throws: HistoryFailure.refused(
          store.referencePath, "no such file", "a file with the commit to measure against", pin)
      ) { try store.reference() }
      let sound = "# version 1\n\n\(HistorySamples.reference)\n"
      for (text, line, found) in [
        ("main\n", 1, "\"main\""), ("# one\n\(HistorySamples.reference.dropLast())\n", 2, nil),
        (sound + sound, 6, "\"\(HistorySamples.reference)\""),
      ] {
        try AtomicFile.write(Array(text.utf8), to: store.referencePath, overwrite: true)
        let failure = #expect(throws: HistoryFailure.self) { try store.reference() }
        guard case .malformed(let finding)? = failure else {
          Issue.record("\(String(describing: failure)); expected a finding")
          continue
        }
        #expect(finding.line == line && found.map { $0 == finding.finding } ?? true)
      }
      try AtomicFile.write(Array("# nothing\n".utf8), to: store.referencePath, overwrite: true)
      #expect(
        throws: HistoryFailure.refused(
          store.referencePath, "no commit in it", "one line of 40 hexadecimal digits", pin)
      ) { try store.reference() }
      try AtomicFile.write(Array(sound.utf8), to: store.referencePath, overwrite: true)
      #expect(try store.reference() == HistorySamples.reference)
    }
  }

  @Test("a file or folder that may not be read or written is named")
  func namesWhatItMayNotUse() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      _ = try store.append([HistorySamples.point(1)])
      // The superuser may do everything, so that the system says no in a test.
      let refused = File.$fault
      let reading = #expect(throws: HistoryFailure.self) {
        try refused.withValue({ $0 == .open ? .failure(EACCES) : .asIs }) { _ = try store.series() }
      }
      guard case .reading(let error)? = reading else {
        Issue.record("\(String(describing: reading)); expected an error of reading")
        return
      }
      #expect(error.path == store.path(of: HistorySamples.machine) && error.reason == .notPermitted)
      let locking = #expect(throws: HistoryFailure.self) {
        try refused.withValue({ $0 == .lock ? .failure(EACCES) : .asIs }) {
          _ = try store.append([HistorySamples.point(2)])
        }
      }
      guard case .writing(let lock)? = locking else {
        Issue.record("\(String(describing: locking)); expected an error of writing")
        return
      }
      #expect(lock.path == folder && lock.step == "lock")
    }
  }

  @Test("a folder without a history, and a file of no machine, are told")
  func namesOtherFiles() throws {
    try TestDirectory.with { folder in
      let store = HistoryStore(folder: folder)
      #expect(
        throws: HistoryFailure.refused(
          folder, "no history in it", "a file with points of one machine at least",
          "add one with `bench history add`, or name another folder with --history")
      ) { _ = try store.series() }
      try AtomicFile.write(Array("a\n".utf8), to: "\(folder)/old.csv", overwrite: false)
      #expect(
        throws: HistoryFailure.refused(
          "\(folder)/old.csv", "the name is that of no machine",
          "a name such as h-3fa9c0d2e4b86a17.csv", "move the file out of the folder")
      ) { _ = try store.series() }
    }
  }
}
