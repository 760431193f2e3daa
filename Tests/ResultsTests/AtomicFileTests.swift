// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestFolders
import Testing

@testable import Results

@Suite("Files")
struct AtomicFileTests {
  @Test("a file is written whole and leaves nothing beside it", arguments: [0, 1, 1 << 20])
  func writes(count: Int) throws {
    try TestDirectory.with { directory in
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try AtomicFile.write(bytes, to: directory + "/a.csv", overwrite: false)
      #expect(try File.read(directory + "/a.csv") == bytes)
      #expect(TestDirectory.names(in: directory) == ["a.csv"])
    }
  }

  @Test("an existing file is replaced only when told to")
  func replacesWhenTold() throws {
    try TestDirectory.with { directory in
      let path = directory + "/a.csv"
      try AtomicFile.write([1], to: path, overwrite: false)
      let error = #expect(throws: FileError.self) {
        try AtomicFile.write([2], to: path, overwrite: false)
      }
      #expect(error?.reason == .alreadyExists)
      #expect(try File.read(path) == [1])
      try AtomicFile.write([3], to: path, overwrite: true)
      #expect(try File.read(path) == [3])
      #expect(TestDirectory.names(in: directory) == ["a.csv"])
    }
  }

  @Test("the final name is given without replacing even when the file appeared late")
  func refusesLateFile() throws {
    try TestDirectory.with { directory in
      try AtomicFile.write([1], to: directory + "/a.csv", overwrite: false)
      try AtomicFile.write([2], to: directory + "/b.tmp", overwrite: false)
      let error = #expect(throws: FileError.self) {
        try File.rename(directory + "/b.tmp", to: directory + "/a.csv", replacing: false)
      }
      #expect(error?.reason == .alreadyExists)
      #expect(try File.read(directory + "/a.csv") == [1])
    }
  }

  @Test("a dangling link is not written through without being told")
  func refusesLink() throws {
    try TestDirectory.with { directory in
      try #require(unsafe symlink(directory + "/elsewhere", directory + "/a.csv") == 0)
      #expect(throws: FileError.self) {
        try AtomicFile.write([1], to: directory + "/a.csv", overwrite: false)
      }
      #expect(TestDirectory.names(in: directory) == ["a.csv"])
    }
  }

  @Test("errors say which file, what, and what to do")
  func describesErrors() throws {
    try TestDirectory.with { directory in
      let missing = #expect(throws: FileError.self) {
        try AtomicFile.write([1], to: directory + "/no/a.csv", overwrite: false)
      }
      #expect(missing?.reason == .notFound)
      #expect(missing?.description.hasPrefix(directory + "/no/a.csv: no such file") == true)
      let itself = #expect(throws: FileError.self) {
        try AtomicFile.write([1], to: directory, overwrite: true)
      }
      #expect(itself?.reason == .isDirectory)
      try AtomicFile.write([1], to: directory + "/file", overwrite: false)
      let through = #expect(throws: FileError.self) {
        try AtomicFile.write([1], to: directory + "/file/a.csv", overwrite: false)
      }
      #expect(through?.reason == .notDirectory)
      #expect(TestDirectory.names(in: directory) == ["file"])
    }
  }

  @Test("a full disk is an error that leaves no file")
  func reportsFullDisk() throws {
    // Every write to this device fails with the error of a full disk.
    let descriptor = try File.open("/dev/full", O_WRONLY)
    defer { File.close(descriptor) }
    let error = #expect(throws: FileError.self) {
      try File.write([1], to: descriptor, path: "a.csv")
    }
    #expect(error?.reason == .noSpace)
  }

  @Test(
    "the directory of a path",
    arguments: [
      ("a.csv", "."), ("/a.csv", "/"), ("/", "/"), ("a/b", "a"), ("/a/b", "/a"), ("/a/b/", "/a"),
    ])
  func splitsPaths(path: String, directory: String) {
    #expect(File.directory(of: path) == directory)
  }
}
