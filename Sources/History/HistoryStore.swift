// SPDX-License-Identifier: Apache-2.0

package import Results

/// The folder of a history: `reference`, and one file per machine.
///
/// A file is replaced whole, under a lock on the folder, so that a reader sees all points of a run
/// or none, two writers lose nothing, and a full disk leaves what was there. Any thread.
package struct HistoryStore: Sendable {
  /// The folder.
  package let folder: String

  package init(folder: String) { self.folder = folder }

  /// Where the pinned reference stands.
  package var referencePath: String { "\(folder)/\(PinnedReference.fileName)" }

  /// The commit that new points are measured against.
  package func reference() throws(HistoryFailure) -> String {
    try PinnedReference.read(referencePath)
  }

  /// The path of a machine's file: its id without the colon, which some file systems refuse.
  package func path(of machine: MachineID) -> String {
    "\(folder)/\(nameReplacingOthers(in: machine.text)).csv"
  }

  /// Every series of every machine, by machine and name.
  ///
  /// Throws when a file cannot be read or is malformed, and when there is no point at all.
  package func series() throws(HistoryFailure) -> [HistorySeries] {
    var points: [HistoryPoint] = []
    for machine in try machines() { points += try file(of: machine).points }
    guard !points.isEmpty else {
      throw .refused(
        folder, "no history in it", "a file with points of one machine at least",
        "add one with `bench history add`, or name another folder with --history")
    }
    return HistorySeries.all(of: points)
  }

  /// What came of adding points.
  package struct Addition: Sendable, Equatable {
    /// Lines that are new.
    package let added: Int
    /// Points of the same run that were there already.
    package let known: Int
  }

  /// Adds points of one machine and run, all of them or none.
  ///
  /// Points of a run that are there already are left out, so that adding it again is harmless.
  /// Throws when the file is malformed or one of the points does not fit: the same series and
  /// commit by another run, a reference without link, a clock that has gone back.
  package func append(_ points: [HistoryPoint]) throws(HistoryFailure) -> Addition {
    guard let machine = points.first?.machineID else { return Addition(added: 0, known: 0) }
    do throws(FileError) { try File.makeDirectories(folder) } catch { throw .writing(error) }
    return try FolderLock.with(folder, failing: { .writing($0) }) { () throws(HistoryFailure) in
      try appendLocked(points, machine)
    }
  }

  private func appendLocked(_ points: [HistoryPoint], _ machine: MachineID)
    throws(HistoryFailure) -> Addition
  {
    let path = path(of: machine)
    var file = try file(of: machine)
    var known = 0
    for point in points {
      if let line = file.line(like: point), file.point(atLine: line)?.runID == point.runID {
        known += 1
        continue
      }
      if let fault = file.fault(of: point) { throw refusal(fault, path, after: file) }
      file.append(point)
    }
    let added = points.count - known
    if added > 0 {
      do throws(FileError) {
        try AtomicFile.write(file.encoded(), to: path, overwrite: true)
      } catch { throw .writing(error) }
    }
    return Addition(added: added, known: known)
  }

  private func refusal(_ fault: HistoryFile.Fault, _ path: String, after file: HistoryFile)
    -> HistoryFailure
  {
    if fault.column == .added {
      return .refused(
        path, "the clock of this machine is behind its last line: \(fault.finding)",
        "a clock that does not go back", "set the clock")
    }
    if fault.column == .commit {
      return .refused(
        path, fault.finding + ", by another run", fault.expectation,
        "remove that line if the new run shall replace it")
    }
    return .refused(path, fault.finding, fault.expectation, fault.nextStep)
  }

  private func file(of machine: MachineID) throws(HistoryFailure) -> HistoryFile {
    let path = path(of: machine)
    guard File.exists(path) else { return HistoryFile() }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path) } catch { throw .reading(error) }
    return try HistoryFile(bytes, path: path, machine: machine)
  }

  /// The machines that have a file, by id.
  private func machines() throws(HistoryFailure) -> [MachineID] {
    let names: [String]
    do throws(FileError) { names = try File.names(in: folder) } catch { throw .reading(error) }
    var machines: [MachineID] = []
    for name in names where name.hasSuffix(".csv") {
      let text = name.dropLast(4).replacing("h-", with: "h:", maxReplacements: 1)
      guard let machine = MachineID(text: String(text)) else {
        throw .refused(
          "\(folder)/\(name)", "the name is that of no machine",
          "a name such as h-3fa9c0d2e4b86a17.csv", "move the file out of the folder")
      }
      machines.append(machine)
    }
    return machines.sorted { $0.text < $1.text }
  }
}
