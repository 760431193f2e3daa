// SPDX-License-Identifier: Apache-2.0

internal import Machine
internal import Results

/// The stored baselines, as the command line shows and changes them.
struct BaselineShelf {
  let store: BaselineStore
  let console: Console

  /// Makes sure that `save` could write.
  func rehearse(_ name: String, force: Bool) throws(ToolFailure) {
    do throws(FileError) { try store.rehearse(name, overwrite: force) } catch {
      throw ToolFailure(writing: error)
    }
  }

  /// Saves a baseline of this machine, with its counts where there are any.
  func save(
    _ baseline: Baseline, counts: [UInt8]? = nil, as name: String, force: Bool, quiet: Bool
  ) throws(ToolFailure) {
    do throws(FileError) {
      try store.save(baseline, counts: counts, as: name, overwrite: force)
    } catch { throw ToolFailure(writing: error) }
    guard !quiet else { return }
    console.say(
      "bench: baseline \(name): commit \(baseline.commit)"
        + "\(counts == nil ? "" : " and its counts"), in \(store.path(of: name))")
  }

  /// What the code of a run is as a baseline.
  ///
  /// - Throws: 64 when no commit names it.
  static func baseline(of code: CodeIdentity, run: RunIdentity) throws(ToolFailure) -> Baseline {
    guard let commit = code.commit else {
      throw .usage(
        "baseline save", "the code is in no git repository that has a commit",
        expected: "a commit, which a baseline names", next: "commit it first")
    }
    guard code.isDirty == false else {
      throw .usage(
        "baseline save", "the working tree differs from commit \(commit)",
        expected: "a tree without changes, since a baseline names a commit",
        next: "commit or stash them first; `git status` shows them")
    }
    return Baseline(
      commit: commit, branch: code.branch, machine: run.machineID,
      processor: MachineFacts.read().processor ?? "unknown",
      toolchain: code.toolchain ?? "unknown", saved: run.time)
  }

  /// Prints every baseline, one on each line.
  func list(isJSON: Bool) throws(ToolFailure) {
    var baselines: [(entry: BaselineStore.Entry, baseline: Baseline)] = []
    let entries: [BaselineStore.Entry]
    do throws(FileError) { entries = try store.entries() } catch {
      throw ToolFailure(reading: error)
    }
    for entry in entries { baselines.append((entry, try read(entry.path))) }
    guard !isJSON else {
      try console.out(
        JSONValue.array(baselines.map { json($0.baseline, name: $0.entry.name) }).list)
      return
    }
    guard !baselines.isEmpty else {
      console.say("bench: no baselines in \(store.folder); `bench baseline save NAME` makes one")
      return
    }
    var table = TextTable(
      columns: ["name", "commit", "saved", "toolchain", "machine", ""].map { ($0, .left) })
    table.indent = 0
    for (entry, baseline) in baselines {
      table.rows.append(
        [
          entry.name, String(baseline.commit.prefix(12)), baseline.saved.text, baseline.toolchain,
          baseline.machine.text, store.isOwn(entry) ? "this one" : baseline.processor,
        ].map { TextTable.Cell($0) })
    }
    try console.out(table.lines(style: .plain).joined(separator: "\n") + "\n")
  }

  /// Prints one baseline of this machine.
  func show(_ name: String, isJSON: Bool) throws(ToolFailure) {
    let baseline = try baseline(named: name)
    try console.out(
      isJSON ? json(baseline, name: name).document : String(decoding: baseline.bytes, as: UTF8.self)
    )
  }

  /// Removes one baseline of this machine.
  func delete(_ name: String, quiet: Bool) throws(ToolFailure) {
    guard File.exists(store.path(of: name)) else { throw missing(name) }
    do throws(FileError) { try store.delete(name) } catch {
      throw ToolFailure(
        .cannotCreate, place: error.path, finding: "cannot be removed: \(error.finding)",
        expectation: error.expectation, nextStep: error.nextStep)
    }
    if !quiet { console.say("bench: baseline \(name) is deleted") }
  }

  /// The baseline of this machine with that name.
  ///
  /// - Throws: 5 when there is none, 65 when it is malformed.
  func baseline(named name: String) throws(ToolFailure) -> Baseline {
    let path = store.path(of: name)
    guard File.exists(path) else { throw missing(name) }
    return try read(path)
  }

  /// The baseline of that name, which a gate on this machine may measure against.
  ///
  /// - Throws: 5 when there is none or it is of another machine, 65 when it is malformed.
  func baseline(named name: String, of machine: MachineID) throws(ToolFailure) -> Baseline {
    let baseline = try baseline(named: name)
    guard baseline.machine == machine else {
      throw ToolFailure(
        .noBaseline, place: store.path(of: name),
        finding: "NOT JUDGED: it is of the machine \(baseline.machine.text), \(baseline.processor)",
        expectation: "a baseline of this machine, \(machine.text), since machines are not compared",
        nextStep: "check out its commit here and run `bench baseline save \(name) --force`")
    }
    return baseline
  }

  /// The counts beside a baseline; nil when it was saved without.
  ///
  /// - Throws: 65 when they are malformed.
  func counts(named name: String) throws(ToolFailure) -> StoredCounts? {
    let path = store.countsPath(of: name)
    guard File.exists(path) else { return nil }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path) } catch { throw ToolFailure(reading: error) }
    do throws(CSVError) {
      return StoredCounts(baseline: try CountsBaseline(csv: bytes, path: path), path: path)
    } catch {
      throw ToolFailure(error.finding)
    }
  }

  /// The counts beside a baseline, which a gate may compare with.
  ///
  /// - Throws: 65 when they are malformed, or not of its commit, as when git has merged the one
  ///   file and not the other.
  func counts(named name: String, of baseline: Baseline) throws(ToolFailure) -> StoredCounts? {
    guard let stored = try counts(named: name) else { return nil }
    guard let other = stored.baseline.rows.first(where: { $0.commit != baseline.commit }) else {
      return stored
    }
    throw ToolFailure(
      .malformedInput, place: stored.path,
      finding: "it has counts of \(other.commit.map { "commit \($0)" } ?? "no commit")",
      expectation: "those of \(baseline.commit), which \(store.path(of: name)) names",
      nextStep: "bring the file of that commit back, or save both anew: "
        + "`bench baseline save \(name) --force`")
  }

  private func read(_ path: String) throws(ToolFailure) -> Baseline {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path) } catch { throw ToolFailure(reading: error) }
    do throws(CSVError) { return try Baseline(bytes, path: path) } catch {
      throw ToolFailure(error.finding)
    }
  }

  /// There is none of that name here, but perhaps elsewhere.
  private func missing(_ name: String) -> ToolFailure {
    let entries = (try? store.entries()) ?? []
    let elsewhere = entries.filter { $0.name == name && !store.isOwn($0) }
    let own = entries.filter(store.isOwn).map(\.name)
    return ToolFailure(
      .noBaseline, place: "baseline \(name)",
      finding: elsewhere.first.map { "it is of another machine, \($0.machine)" }
        ?? "there is none of that name",
      expectation: own.isEmpty
        ? "one in \(store.ownFolder), since machines are not compared"
        : "one of this machine: \(own.joined(separator: ", "))",
      nextStep: "check out its commit here and run `bench baseline save \(name)`")
  }

  private func json(_ baseline: Baseline, name: String) -> JSONValue {
    .object([
      ("name", .string(name)), ("commit", .string(baseline.commit)),
      ("branch", baseline.branch.map(JSONValue.string) ?? .null),
      ("machine", .string(baseline.machine.text)), ("processor", .string(baseline.processor)),
      ("toolchain", .string(baseline.toolchain)), ("saved", .string(baseline.saved.text)),
    ])
  }
}
