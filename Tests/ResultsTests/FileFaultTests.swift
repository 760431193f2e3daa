// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import TestFolders
import Testing

@testable import Results

/// Lets the call of one number go wrong, and counts.
private final class FaultyCall: Sendable {
  private let state: Mutex<(seen: Int, faulty: Int)>
  private let answer: FileCallAnswer

  /// - Parameters:
  ///   - number: of the call that goes wrong, counted from 1.
  ///   - answer: how it goes.
  init(_ number: Int, _ answer: FileCallAnswer) {
    state = Mutex((0, number))
    self.answer = answer
  }

  /// True when there were as many calls as to reach the faulty one.
  var wasReached: Bool { state.withLock { $0.seen >= $0.faulty } }

  func next(_ call: FileCall) -> FileCallAnswer {
    state.withLock { state in
      state.seen += 1
      return state.seen == state.faulty ? answer : .asIs
    }
  }
}

@Suite("Faults of the file system")
struct FileFaultTests {
  private static let old: [UInt8] = [1, 2, 3]
  private static let new = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  /// Writes two files with a fault at every call in turn, and hands over what came of each.
  private func atEveryCall(
    _ answer: FileCallAnswer, overwrite: Bool,
    _ check: (_ directory: String, _ error: FileError?, _ call: Int) throws -> Void
  ) throws -> Int {
    var number = 0
    while true {
      number += 1
      var isOver = false
      try TestDirectory.with { directory in
        let paths = [directory + "/a.env.csv", directory + "/a.csv"]
        if overwrite {
          for path in paths { try AtomicFile.write(Self.old, to: path, overwrite: false) }
        }
        let fault = FaultyCall(number, answer)
        var thrown: FileError?
        File.$fault.withValue({ fault.next($0) }) {
          do throws(FileError) {
            try AtomicFile.write(paths.map { ($0, Self.new) }, overwrite: overwrite)
          } catch { thrown = error }
        }
        isOver = !fault.wasReached
        try check(directory, thrown, number)
      }
      if isOver { return number - 1 }
    }
  }

  @Test(
    "a call that fails leaves both files or none, each complete, and nothing else",
    arguments: [ENOSPC, EIO, EDQUOT, EMFILE, EACCES], [false, true])
  func failsWhole(number: Int32, overwrite: Bool) throws {
    var failures = 0
    let calls = try atEveryCall(.failure(number), overwrite: overwrite) { directory, error, call in
      let names = TestDirectory.names(in: directory)
      if error != nil { failures += 1 }
      if overwrite {
        #expect(names == ["a.csv", "a.env.csv"], "call \(call)")
      } else {
        #expect(names.isEmpty || names == ["a.csv", "a.env.csv"], "call \(call)")
        #expect(error != nil || names.count == 2, "call \(call)")
      }
      for name in names {
        let bytes = try File.read(directory + "/" + name)
        #expect(bytes == Self.new || (overwrite && bytes == Self.old), "\(name), call \(call)")
      }
    }
    // Two files: looked at, opened, written, synced, named; and their directory opened and synced.
    #expect(calls >= 12)
    #expect(failures == calls)
  }

  @Test("an interrupted call is made again", arguments: [false, true])
  func repeatsInterrupted(overwrite: Bool) throws {
    let calls = try atEveryCall(.failure(EINTR), overwrite: overwrite) { directory, error, call in
      #expect(error == nil, "call \(call)")
      #expect(TestDirectory.names(in: directory) == ["a.csv", "a.env.csv"])
      let bytes = try File.read(directory + "/a.csv")
      #expect(bytes == Self.new, "call \(call)")
    }
    #expect(calls >= 12)
  }

  @Test("short writes and short reads lose nothing", arguments: [1, 7, 299])
  func continuesShortCalls(most: Int) throws {
    try TestDirectory.with { directory in
      let path = directory + "/a.csv"
      try File.$fault.withValue({ _ in .atMost(most) }) {
        try AtomicFile.write(Self.new, to: path, overwrite: false)
        #expect(try File.read(path) == Self.new)
      }
      #expect(try File.read(path) == Self.new)
    }
  }

  @Test("a write that makes no progress is an error, not a loop")
  func stopsWithoutProgress() throws {
    try TestDirectory.with { directory in
      let error = #expect(throws: FileError.self) {
        try File.$fault.withValue({ $0 == .write ? .atMost(0) : .asIs }) {
          try AtomicFile.write(Self.new, to: directory + "/a.csv", overwrite: false)
        }
      }
      #expect(error?.step == "write")
      #expect(TestDirectory.names(in: directory) == [])
    }
  }

  @Test("a rehearsal finds what the writing would find, and leaves nothing")
  func rehearses() throws {
    try TestDirectory.with { directory in
      let path = directory + "/a.csv"
      try AtomicFile.rehearse(path, overwrite: false)
      #expect(TestDirectory.names(in: directory) == [])
      for call in [FileCall.open, .write, .synchronize] {
        let error = #expect(throws: FileError.self) {
          try File.$fault.withValue({ $0 == call ? .failure(ENOSPC) : .asIs }) {
            try AtomicFile.rehearse(path, overwrite: false)
          }
        }
        #expect(error?.reason == .noSpace && error?.path == path)
        #expect(TestDirectory.names(in: directory) == [])
      }
    }
  }

  @Test("what is no regular file is refused, and stays what it is")
  func refusesOtherKinds() throws {
    try TestDirectory.with { directory in
      let fifo = directory + "/fifo"
      try #require(unsafe mkfifo(fifo, 0o600) == 0)
      for overwrite in [false, true] {
        let error = #expect(throws: FileError.self) {
          try AtomicFile.write(Self.new, to: fifo, overwrite: overwrite)
        }
        #expect(error?.reason == .notRegular("a FIFO"))
      }
      #expect(try File.kind(fifo) == .other("a FIFO"))
      // Only asked: a fault here must not cost the machine its devices.
      let device = #expect(throws: FileError.self) {
        try AtomicFile.destination(of: "/dev/full", overwrite: true)
      }
      #expect(device?.reason == .notRegular("a character device"))
      for stream in ["/dev/stdout", "/dev/fd/1"] {
        let error = #expect(throws: FileError.self) {
          try AtomicFile.destination(of: stream, overwrite: true)
        }
        #expect(error?.reason == .notRegular("an open stream"))
      }
      #expect(TestDirectory.names(in: directory) == ["fifo"])
    }
  }

  @Test("a link to a file is followed and stays a link")
  func followsLink() throws {
    try TestDirectory.with { directory in
      try File.makeDirectories(directory + "/real")
      try AtomicFile.write(Self.old, to: directory + "/real/a.csv", overwrite: false)
      try #require(unsafe symlink("real/a.csv", directory + "/link.csv") == 0)
      try AtomicFile.write(Self.new, to: directory + "/link.csv", overwrite: true)
      #expect(try File.read(directory + "/real/a.csv") == Self.new)
      var status = stat()
      #expect(unsafe lstat(directory + "/link.csv", &status) == 0)
      #expect(status.st_mode & S_IFMT == S_IFLNK)
      #expect(TestDirectory.names(in: directory + "/real") == ["a.csv"])
      #expect(TestDirectory.names(in: directory) == ["link.csv", "real"])
    }
  }

  @Test("links that lead nowhere, and names that are too long, are named as such")
  func namesBadPaths() throws {
    try TestDirectory.with { directory in
      try #require(unsafe symlink("loop", directory + "/loop") == 0)
      try #require(unsafe symlink("nowhere", directory + "/dangling") == 0)
      let long = directory + "/" + String(repeating: "x", count: 256)
      for (path, reason) in [
        (directory + "/loop", FileError.Reason.linkLoop), (directory + "/loop/a.csv", .linkLoop),
        (directory + "/dangling", .danglingLink), (long, .nameTooLong),
      ] {
        let error = #expect(throws: FileError.self) {
          try AtomicFile.rehearse(path, overwrite: true)
        }
        #expect(error?.reason == reason, "\(path)")
      }
      for name in ["loop", "dangling"] {
        let error = #expect(throws: FileError.self) {
          try File.makeDirectories(directory + "/\(name)/runs")
        }
        #expect(error?.reason == (name == "loop" ? .linkLoop : .danglingLink))
      }
      #expect(TestDirectory.names(in: directory) == ["dangling", "loop"])
    }
  }

  @Test("only a regular file is read to its end")
  func readsRegularFiles() throws {
    try TestDirectory.with { directory in
      let fifo = directory + "/fifo"
      try #require(unsafe mkfifo(fifo, 0o600) == 0)
      for (path, what) in [(fifo, "a FIFO"), ("/dev/zero", "a character device")] {
        let error = #expect(throws: FileError.self) { try SchemaCheck.check(path: path) }
        #expect(error?.reason == .notRegular(what))
      }
      let error = #expect(throws: FileError.self) { try SchemaCheck.check(path: directory) }
      #expect(error?.reason == .isDirectory)
    }
  }
}
