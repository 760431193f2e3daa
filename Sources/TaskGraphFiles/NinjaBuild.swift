// SPDX-License-Identifier: Apache-2.0

/// A build that Ninja runs: its manifest, and where its log is.
package struct NinjaBuild: Sendable {
  private let manifest: NinjaManifest
  private let path: String
  private let folder: String

  /// Reads the manifest at `path` of a build that runs in `folder`, and what it includes.
  ///
  /// The folder ends with a slash, or is empty for the present one.
  package init(manifest path: String, in folder: String) throws(TaskGraphError) {
    try self.init(manifest: try FileBytes.read(path), at: path, in: folder)
  }

  init(manifest bytes: [UInt8], at path: String, in folder: String) throws(TaskGraphError) {
    self.path = path
    self.folder = folder
    manifest = try NinjaManifestReader.read(bytes, path: path, identity: FileBytes.identity(path)) {
      name throws(TaskGraphError) in
      let file = name.hasPrefix("/") ? name : folder + name
      return (FileBytes.identity(file), try FileBytes.read(file))
    }
  }

  /// Where Ninja writes the log of this build.
  package var logPath: String {
    let directory = manifest.buildDirectory
    if directory.isEmpty { return folder + ".ninja_log" }
    return (directory.hasPrefix("/") ? directory : folder + directory) + "/.ninja_log"
  }

  /// The log as it is now; empty when there is none.
  package func log() throws(TaskGraphError) -> [UInt8] {
    FileBytes.kind(of: logPath) == .missing ? [] : try FileBytes.read(logPath)
  }

  /// The graph of what ran since the log was as it was `before`; nil when nothing did.
  ///
  /// Throws when there is no log.
  package func graph(since before: [UInt8]) throws(TaskGraphError) -> TaskGraph? {
    guard FileBytes.kind(of: logPath) != .missing else {
      throw TaskGraphError(
        path: logPath, finding: "there is no log, so that nothing says how long anything took",
        expectation: "the log that Ninja writes while it builds",
        remedy: "see whether the build ran anything, and whether Ninja may write there")
    }
    let log = NinjaLog.lines(of: try FileBytes.read(logPath), notIn: before)
    return log.count { $0 == 0x0A } > 1 ? try graph(log: log, at: logPath) : nil
  }

  func graph(log bytes: [UInt8], at logPath: String) throws(TaskGraphError) -> TaskGraph {
    let log = try NinjaLog(bytes, path: logPath, manifest: manifest)
    return try NinjaReader.read(
      manifest: manifest, log: log, path: path, logPath: logPath, name: TaskGraphFile.stem(path))
  }
}

extension NinjaLog {
  /// The first line of a log, which says its version, and those of the others that `before` lacks.
  ///
  /// Ninja writes the log anew now and then, so that what is new is not simply at its end. A line
  /// has the time at which its output was written, which tells two runs of a statement apart.
  static func lines(of log: [UInt8], notIn before: [UInt8]) -> [UInt8] {
    let old = Set(before.split(separator: 0x0A))
    var kept: [UInt8] = []
    for (index, line) in log.split(separator: 0x0A).enumerated()
    where index == 0 || !old.contains(line) {
      kept += line
      kept.append(0x0A)
    }
    return kept
  }
}
