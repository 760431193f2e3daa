// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Glibc
import Results
import TestFolders
import Testing

@testable import History

/// What is wrong beside the lines themselves, of which `MalformedInput` has a table.
@Suite("Malformed histories")
struct MalformedHistoryTests {
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
