// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Measurement
internal import Results

/// The folder that keeps built executables, `.build/revisions` of the package.
///
/// An entry is a folder named after commit and settings, with the executable in `bin` and a record
/// beside it. While it is made there is a folder of that name with `.work` behind it; a lock file
/// with `.lock` says who uses what.
struct RevisionCache: Sendable {
  /// How many executables stay; those in use come on top.
  static let most = 12

  private static let workSuffix = ".work"
  private static let recordName = "record"

  /// The folder.
  let folder: String
  /// The package, from which git finds the repository also where the folder is on another disk.
  private let package: String
  /// The product that the entries have.
  let product: String

  init(_ package: MeasuredPackage) {
    self.package = package.folder
    folder = package.folder + "/.build/revisions"
    product = package.product
  }

  /// Makes sure that it is there.
  func make() throws(RevisionFailure) {
    do throws(FileError) { try File.makeDirectories(folder) } catch {
      throw .folder(error.path, error.finding)
    }
  }

  // MARK: - Entries

  /// The executable of an entry.
  func executable(_ id: String) -> String { "\(folder)/\(id)/bin/\(product)" }

  /// Where an entry is made.
  func work(_ id: String) -> String { "\(folder)/\(id)\(Self.workSuffix)" }

  /// Where the transcript of a failed build goes.
  func log(_ id: String) -> String { "\(folder)/\(id).log" }

  /// The path of an entry's lock.
  func lock(_ id: String) -> String { "\(folder)/\(id).lock" }

  /// The record of an entry that is complete and as good as new; marks it as used.
  func use(_ id: String) -> BuildRecord? {
    let path = "\(folder)/\(id)/\(Self.recordName)"
    guard (try? File.kind(executable(id))) == .regular, let bytes = try? File.read(path),
      let record = BuildRecord(text: String(decoding: bytes, as: UTF8.self)), record.isCurrent
    else { return nil }
    FolderCalls.touch(path)
    return record
  }

  /// Makes an entry of what a build has put into its folder of products.
  ///
  /// Beside the executable those are bundles of resources and dynamic libraries, which it looks for
  /// in its own folder.
  func publish(_ id: String, products: String, record: BuildRecord) throws(RevisionFailure) {
    let fresh = work(id) + "/entry"
    do throws(FileError) {
      try File.makeDirectories(fresh + "/bin")
      try AtomicFile.write(
        [("\(fresh)/\(Self.recordName)", Array(record.text.utf8))], overwrite: true)
    } catch { throw .folder(error.path, error.finding) }
    for name in try names(in: products)
    where name == product || name.hasSuffix(".resources") || name.hasSuffix(".so") {
      try move("\(products)/\(name)", to: "\(fresh)/bin/\(name)")
    }
    Self.removeTree("\(folder)/\(id)")
    try move(fresh, to: "\(folder)/\(id)")
  }

  private func names(in folder: String) throws(RevisionFailure) -> [String] {
    do throws(FileError) { return try File.names(in: folder) } catch {
      throw .folder(error.path, error.finding)
    }
  }

  private func move(_ path: String, to name: String) throws(RevisionFailure) {
    let error = FolderCalls.move(path, to: name)
    guard error == 0 else { throw .folder(path, "cannot be moved: \(errorText(error))") }
  }

  // MARK: - Tidying

  /// Removes the entries used longest ago that nobody uses now, until so many are left.
  func prune(to most: Int = most, forgets: (_ commit: String) -> Void) throws(RevisionFailure) {
    let entries = try names(in: folder).compactMap { id in
      FolderCalls.age("\(folder)/\(id)/\(Self.recordName)").map { (id: id, age: $0) }
    }.sorted { ($0.age, $0.id) > ($1.age, $1.id) }
    for entry in entries.dropFirst(most) {
      guard let lock = try FileLock.attempt(lock(entry.id), .alone) else { continue }
      Self.removeTree("\(folder)/\(entry.id)")
      forgets(entry.id.split(separator: "-").first.map(String.init) ?? entry.id)
      lock.releaseWithFile()
    }
  }

  /// Removes what processes left behind that did not come to their end: worktrees, known to git or
  /// not, and builds.
  func removeLeftovers(removes: (_ folder: String) -> Void) throws(RevisionFailure) {
    let git = Git(folder: package)
    let worktrees = git.run(["worktree", "list", "--porcelain"]).output.split(separator: "\n")
      .filter { $0.hasPrefix("worktree \(folder)/") }.map { String($0.dropFirst(9)) }
    let known = worktrees.compactMap { path in
      path.dropFirst(folder.utf8.count + 1).split(separator: "/").first.map(String.init)
    }
    for name in Set(try names(in: folder) + known).sorted()
    where name.hasSuffix(Self.workSuffix) {
      let id = String(name.dropLast(Self.workSuffix.utf8.count))
      guard let lock = try FileLock.attempt(lock(id), .alone) else { continue }
      let left = worktrees.filter { $0.hasPrefix(work(id) + "/") }
      if !left.isEmpty || File.exists(work(id)) {
        removes(work(id))
        removeWork(id, worktrees: left)
      }
      if File.exists("\(folder)/\(id)") { lock.release() } else { lock.releaseWithFile() }
    }
  }

  /// Removes where an entry was made, after its worktrees, so that git forgets them.
  func removeWork(_ id: String, worktrees: [String]) {
    for worktree in worktrees {
      // Twice: also one that git has locked while it was making it.
      _ = Git(folder: package).run(["worktree", "remove", "--force", "--force", worktree])
    }
    Self.removeTree(work(id))
  }

  /// Removes a folder with all that is in it, without following links.
  private static func removeTree(_ path: String) {
    _ = ExternalProgram.run(["rm", "-rf", "--", path])
  }
}
