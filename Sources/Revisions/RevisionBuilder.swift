// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Measurement
internal import Results

/// Makes executables of earlier revisions of a package, and keeps them.
///
/// A revision is laid out by git in a worktree of its own and built for release from nothing, with
/// the `swift` in PATH; the second time the executable is there. Processes that want the same
/// commit build it once. The worktree is gone when `build` returns or throws; what a process leaves
/// that is killed goes the next time. Git keeps the working tree, branches and index of the user.
package struct RevisionBuilder {
  private let package: MeasuredPackage
  private let options: [String]
  private let swift: String
  private let interrupt: InterruptFlag?
  private let observe: (RevisionEvent) -> Void
  private let cache: RevisionCache

  /// - Parameters:
  ///   - package: whose revisions.
  ///   - options: what `swift build` is told beside the product, such as traits.
  ///   - swift: name, found in PATH, or path of what builds.
  ///   - interrupt: ends it.
  ///   - observe: told what happens, on the caller's thread.
  package init(
    _ package: MeasuredPackage, options: [String] = [], swift: String = "swift",
    interrupt: InterruptFlag? = nil,
    observe: @escaping (RevisionEvent) -> Void = { _ in }
  ) {
    self.package = package
    self.options = options
    self.swift = swift
    self.interrupt = interrupt
    self.observe = observe
    cache = RevisionCache(package)
  }

  /// A commit and how it is built.
  private struct Target {
    let commit: String
    /// Root of the working tree.
    let root: String
    /// The package's folder below the root, empty or ending with `/`.
    let prefix: String
    let toolchain: String
    /// Name of its entry in the cache.
    let id: String
  }

  /// The executable of a revision: built, if it is not there.
  ///
  /// Minutes for a build; less than a second, most of it for asking swift its version, when it is
  /// there.
  /// - Parameter revision: anything that `git rev-parse` takes for a commit.
  package func build(_ revision: String) throws(RevisionFailure) -> BuiltRevision {
    let target = try target(of: revision)
    try cache.make()
    try cache.removeLeftovers { observe(.removesLeftover(folder: $0)) }
    var wasThere = true
    while true {
      let lock = try wait(.shared, target)
      if let record = cache.use(target.id) {
        return built(record, target, lock, wasThere: wasThere)
      }
      lock.release()
      wasThere = false
      let alone = try wait(.alone, target)
      // Somebody else may have built it meanwhile.
      guard cache.use(target.id) == nil else {
        alone.release()
        continue
      }
      do throws(RevisionFailure) { try make(target, holding: alone) } catch {
        alone.releaseWithFile()
        throw error
      }
      alone.release()
      try cache.prune { observe(.forgets(commit: $0)) }
    }
  }

  private func wait(_ kind: FileLock.Kind, _ target: Target) throws(RevisionFailure) -> FileLock {
    try FileLock.wait(cache.lock(target.id), kind, interrupt: interrupt) {
      observe(.waits(commit: target.commit))
    }
  }

  private func built(_ record: BuildRecord, _ target: Target, _ lock: FileLock, wasThere: Bool)
    -> BuiltRevision
  {
    let executable = cache.executable(target.id)
    let binary = (try? File.read(executable)).map(CodeIdentity.hash(ofBinary:))
    return BuiltRevision(
      executable: executable,
      code: CodeIdentity(
        commit: record.commit, isDirty: false, binary: binary, toolchain: record.toolchain),
      localDependencies: record.dependencies.map(\.folder), wasThere: wasThere, lock: lock)
  }

  // MARK: - Which commit

  private func target(of revision: String) throws(RevisionFailure) -> Target {
    let git = Git(folder: package.folder)
    let top = git.run(["rev-parse", "--show-toplevel"])
    if let error = top.startError { throw .noProgram(ProgramFailure("git", .notStarted(error))) }
    guard top.code == 0 else {
      throw .noRepository(package: package.folder, said: top.transcript)
    }
    // What begins with a dash would be an option.
    guard !revision.hasPrefix("-"),
      let commit = git.ask("rev-parse", "--verify", "--quiet", revision + "^{commit}")
    else {
      let isShallow = git.ask("rev-parse", "--is-shallow-repository") == "true"
      throw .unknownRevision(revision, isShallow: isShallow)
    }
    let prefix = git.ask("rev-parse", "--show-prefix") ?? ""
    let manifest = prefix + "Package.swift"
    guard git.run(["cat-file", "-e", "\(commit):\(manifest)"]).code == 0 else {
      throw .noPackageThen(commit: commit, manifest: manifest)
    }
    let asked = [swift, "--version"]
    let version = ExternalProgram.run(asked, interrupt: interrupt)
    if version.isInterrupted { throw .interrupted }
    if let failure = version.failure(of: asked) { throw .noProgram(failure) }
    let number = version.output.firstMatch(of: /Swift version (\S+)/).map { String($0.1) }
    let settings = [prefix, package.product, version.output] + options
    return Target(
      commit: commit, root: top.firstLine, prefix: prefix,
      toolchain: "Swift \(number ?? "unknown")",
      id: "\(commit.prefix(12))-\(hexadecimal(fnv1a(settings.joined(separator: "\0").utf8)))")
  }

  // MARK: - The build

  private func make(_ target: Target, holding lock: FileLock) throws(RevisionFailure) {
    let start = MonotonicClock.nanoseconds()
    observe(.builds(commit: target.commit))
    let work = cache.work(target.id)
    let mirror = work + "/mirror"
    // Of a process that was killed after this one looked for leftovers.
    if File.exists(work) { cache.removeWork(target.id, worktrees: [mirror + target.root]) }
    defer { cache.removeWork(target.id, worktrees: [mirror + target.root]) }
    let tree = try Mirror.make(mirror, for: target.root)
    try layOut(target, tree)
    let folder = target.prefix.isEmpty ? tree : "\(tree)/\(target.prefix.dropLast())"
    takeResolvedVersions(to: folder)
    let scratch = work + "/build"
    try compile(target, folder: folder, scratch: scratch, holding: lock)
    let outside = LocalDependencies.folders(scratch: scratch, mirror: mirror, tree: tree)
    try cache.publish(
      target.id, products: scratch + "/release",
      record: BuildRecord(
        commit: target.commit, toolchain: target.toolchain,
        dependencies: outside.map { ($0, LocalDependencies.fingerprint(of: $0)) }))
    let elapsed = MonotonicClock.nanoseconds() - start
    observe(.built(commit: target.commit, seconds: Int(elapsed / 1_000_000_000)))
  }

  /// Has git write the files of the commit, with those of its submodules.
  private func layOut(_ target: Target, _ tree: String) throws(RevisionFailure) {
    let added = Git(folder: target.root).run(["worktree", "add", "--detach", tree, target.commit])
    try checkInterrupt()
    guard added.code == 0 else {
      throw .notLaidOut(commit: target.commit, said: added.transcript)
    }
    guard File.exists(tree + "/.gitmodules") else { return }
    let modules = Git(folder: tree).run(["submodule", "update", "--init", "--recursive"])
    try checkInterrupt()
    guard modules.code == 0 else {
      throw .notLaidOut(commit: target.commit, said: modules.transcript)
    }
  }

  /// Where the commit does not say which versions of remote packages it is for, those of today are
  /// taken, so that both sides have the same.
  private func takeResolvedVersions(to folder: String) {
    let name = "/Package.resolved"
    guard !File.exists(folder + name), let bytes = try? File.read(package.folder + name) else {
      return
    }
    // A build that cannot have it resolves anew, and says so when that fails.
    try? AtomicFile.write([(folder + name, bytes)], overwrite: false)
  }

  private func compile(
    _ target: Target, folder: String, scratch: String, holding lock: FileLock
  ) throws(RevisionFailure) {
    let words =
      [swift, "build", "-c", "release", "--product", package.product]
      + ["--package-path", folder, "--scratch-path", scratch] + options
    let build = ExternalProgram.run(
      words, environment: Git.environment, keeping: lock.descriptor, interrupt: interrupt)
    if build.isInterrupted { throw .interrupted }
    try checkInterrupt()
    guard build.code != 0 || (try? File.kind("\(scratch)/release/\(package.product)")) != .regular
    else { return }
    let log = cache.log(target.id)
    do throws(FileError) {
      try AtomicFile.write(
        [(log, Array((words.joined(separator: " ") + "\n" + build.transcript + "\n").utf8))],
        overwrite: true)
    } catch { throw .folder(error.path, error.finding) }
    throw .notBuilt(
      commit: target.commit, product: package.product,
      errors: Self.errors(in: build.transcript, below: folder), log: log)
  }

  /// What a build says went wrong: its first lines with an error, or its last lines.
  private static func errors(in transcript: String, below folder: String) -> [String] {
    let lines = transcript.split(separator: "\n").map(String.init)
    var errors: [String] = []
    for line in lines where line.contains("error:") && !errors.contains(line) {
      errors.append(line)
    }
    let told = errors.isEmpty ? Array(lines.suffix(10)) : Array(errors.prefix(10))
    return told.map { $0.replacing(folder + "/", with: "") }
  }

  private func checkInterrupt() throws(RevisionFailure) {
    if interrupt?.isRaised == true { throw .interrupted }
  }
}
