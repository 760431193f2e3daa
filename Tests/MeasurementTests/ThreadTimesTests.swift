// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Results
internal import TestFolders
internal import Testing

@testable internal import Measurement

@Suite struct ThreadTimesTests {
  /// A folder like `/proc` with these files.
  private func proc(_ files: [(path: String, text: String)], in folder: String) throws -> String {
    for file in files {
      let path = "\(folder)/\(file.path)"
      try File.makeDirectories(File.directory(of: path))
      try AtomicFile.write(Array(file.text.utf8), to: path, overwrite: true)
    }
    return folder
  }

  @Test func everyThreadOfAProcessIsRead() throws {
    try TestDirectory.with { folder in
      let proc = try proc(
        [
          ("7/task/7/schedstat", "100 20 3\n"), ("7/task/8/schedstat", "5 6 7\n"),
          ("7/task/9/schedstat", "what is this"), ("8/task/8/schedstat", "1 1 1\n"),
        ], in: folder)
      #expect(
        ThreadTimes(ofProcess: 7, proc: proc).entries == [
          .init(systemID: 7, ran: 100, waited: 20, slices: 3),
          .init(systemID: 8, ran: 5, waited: 6, slices: 7),
        ])
      #expect(ThreadTimes(ofProcess: 9, proc: proc).entries.isEmpty)
    }
  }

  @Test func whatCameSinceIsTheDifferenceAndNewThreadsAreWhole() {
    let earlier = ThreadTimes(entries: [
      .init(systemID: 1, ran: 10, waited: 20, slices: 30),
      .init(systemID: 2, ran: 1, waited: 1, slices: 1),
    ])
    let later = ThreadTimes(entries: [
      .init(systemID: 1, ran: 11, waited: 25, slices: 32),
      .init(systemID: 3, ran: 7, waited: 8, slices: 9),
    ])
    #expect(
      later.since(earlier).entries == [
        .init(systemID: 1, ran: 1, waited: 5, slices: 2),
        .init(systemID: 3, ran: 7, waited: 8, slices: 9),
      ])
  }

  @Test func aKernelThatCountsNothingIsToldFromOneThatCannot() throws {
    try TestDirectory.with { folder in
      #expect(ThreadTimes.refusal(proc: folder) == .absent)
      let off = try proc([("self/schedstat", "0 0 0\n")], in: folder)
      #expect(ThreadTimes.refusal(proc: off) == .off)
      let on = try proc([("self/schedstat", "9 0 1\n")], in: folder)
      #expect(ThreadTimes.refusal(proc: on) == nil)
    }
  }

  @Test func aThreadThatWorksHasRun() throws {
    try #require(ThreadTimes.refusal() == nil, "this kernel counts no times of threads")
    let earlier = ThreadTimes(ofProcess: getpid())
    var sum: UInt64 = 1
    let deadline = ContinuousClock.now + .milliseconds(20)
    while ContinuousClock.now < deadline { sum = sum &* 31 &+ 7 }
    #expect(sum != 0)
    let ran = ThreadTimes(ofProcess: getpid()).since(earlier).entries.map(\.ran).max()
    #expect((ran ?? 0) > 0)
  }
}
