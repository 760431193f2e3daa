// SPDX-License-Identifier: Apache-2.0

/// Where baselines lie: `baselines/<machine>/NAME.baseline`, and counts in `NAME.counts.csv`.
///
/// Any thread; two who save under one name at once leave the files of one of them.
package struct BaselineStore: Sendable {
  /// A stored baseline by its place.
  package struct Entry: Sendable, Hashable {
    /// The folder of its machine.
    package let machine: String
    package let name: String
    package let path: String
  }

  private static let suffix = ".baseline"
  private static let countsSuffix = ".counts.csv"

  /// Holds a folder for each machine.
  package let folder: String
  /// The folder of this machine.
  package let ownFolder: String

  /// - Parameters:
  ///   - resultsFolder: as `PackageFolder.results` finds it.
  ///   - machine: this one.
  package init(resultsFolder: String, machine: MachineID) {
    folder = resultsFolder + "/baselines"
    // Not every file system takes a colon.
    ownFolder = "\(folder)/\(nameReplacingOthers(in: machine.text))"
  }

  /// The file of a baseline of this machine.
  package func path(of name: String) -> String { "\(ownFolder)/\(name)\(Self.suffix)" }

  /// The counts beside it.
  package func countsPath(of name: String) -> String { "\(ownFolder)/\(name)\(Self.countsSuffix)" }

  /// Whether a baseline is of this machine.
  package func isOwn(_ entry: Entry) -> Bool { "\(folder)/\(entry.machine)" == ownFolder }

  /// Every baseline, by machine and name.
  package func entries() throws(FileError) -> [Entry] {
    var entries: [Entry] = []
    for machine in try File.names(in: folder) where File.isDirectory("\(folder)/\(machine)") {
      for file in try File.names(in: "\(folder)/\(machine)") where file.hasSuffix(Self.suffix) {
        entries.append(
          Entry(
            machine: machine, name: String(file.dropLast(Self.suffix.count)),
            path: "\(folder)/\(machine)/\(file)"))
      }
    }
    return entries
  }

  /// Makes sure that `save` could write, before anything is counted.
  package func rehearse(_ name: String, overwrite: Bool) throws(FileError) {
    try File.makeDirectories(ownFolder)
    try AtomicFile.rehearse(path(of: name), overwrite: overwrite)
    // What lies there without a baseline is nobody's.
    try AtomicFile.rehearse(countsPath(of: name), overwrite: true)
  }

  /// Writes a baseline of this machine, with its counts where there are any.
  ///
  /// Neither file appears before both are complete. Throws when the name is taken, unless told to
  /// overwrite.
  package func save(
    _ baseline: Baseline, counts: [UInt8]?, as name: String, overwrite: Bool
  ) throws(FileError) {
    try rehearse(name, overwrite: overwrite)
    let countsPath = countsPath(of: name)
    let hasOldCounts = File.exists(countsPath)
    let files = [(path: path(of: name), bytes: baseline.bytes)]
    try AtomicFile.write(
      (counts.map { [(path: countsPath, bytes: $0)] } ?? []) + files,
      overwrite: overwrite || counts != nil && hasOldCounts)
    // Where there is no room for the new file, those of the old one stay as well.
    if counts == nil, hasOldCounts { try File.delete(countsPath) }
  }

  /// Removes a baseline of this machine and its counts.
  package func delete(_ name: String) throws(FileError) {
    try File.delete(path(of: name))
    if File.exists(countsPath(of: name)) { try File.delete(countsPath(of: name)) }
  }
}
