// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Measurement
internal import Results
internal import TracePages
internal import Traces

/// Where the recordings, pictures and tables of `bench profile` go.
///
/// With two schedulers the second one's files have its name behind theirs.
struct ProfileFiles {
  private let trace: String?
  private let perfetto: String?
  private let folder: String?
  private let schedulers: [String]
  /// The recording is there already, so that none is kept.
  private let keepsNone: Bool
  private let overwrites: Bool
  private let temporaryFolder: String

  init(_ request: ProfileRequest, environment: [String: String]) {
    temporaryFolder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    trace = request.trace
    perfetto = request.perfetto
    folder = request.folder
    schedulers = request.recording == nil ? request.schedulers : [""]
    keepsNone = request.recording != nil
    overwrites = request.run.force
  }

  /// Makes sure, before anything runs, that the files can be written.
  func prepare() throws(ToolFailure) {
    do throws(FileError) {
      if let folder { try File.makeDirectories(folder) }
      for path in places { try AtomicFile.rehearse(path, overwrite: overwrites) }
    } catch { throw ToolFailure(writing: error) }
  }

  /// The file through which a recording comes from its child.
  func recording(_ place: Int) -> String {
    keptRecording(place) ?? "\(temporaryFolder)/bench-\(getpid())-\(place).trace"
  }

  /// Gives the body a folder of its own, which is gone afterwards with all that is in it.
  func withScratch<Value, Failure: Error>(
    _ body: (String) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    let scratch = "\(temporaryFolder)/bench-\(getpid())-\(number)"
    // A folder that cannot be made is what the body finds first, and says.
    try? File.makeDirectories(scratch)
    defer {
      for name in (try? File.names(in: scratch)) ?? [] { File.remove("\(scratch)/\(name)") }
      // SAFETY: the path lives through the call.
      _ = unsafe rmdir(scratch)
    }
    return try body(scratch)
  }

  /// Whether that file stays.
  func keeps(_ place: Int) -> Bool { keptRecording(place) != nil }

  /// Every file that may be left when all is done.
  private var places: [String] {
    schedulers.indices.flatMap { place in
      [keptRecording(place), perfetto.map { named($0, place) }].compactMap(\.self)
        + (folder.map { folder in
          ProfileForm.allCases.map { "\(folder)/\(named($0.fileName, place))" }
        } ?? [])
    }
  }

  /// Writes all but the recordings, which the children have written; every file that is there then.
  func write(
    _ text: ProfileText, environment: [String: String], console: Console
  ) throws(ToolFailure) -> [String] {
    let comparison = text.comparison?.page { named(ProfileForm.page.fileName, $0) }
    var charts: ChartLibrary?
    if folder != nil {
      do throws(ChartLibraryMissing) { charts = try .installed(environment: environment) } catch {
        console.say("bench: no page: \(error)")
        if let path = keptRecording(0) {
          console.say("bench: then `bench profile --recording \(path)` makes the page of this run")
        }
      }
    }
    var all: [String] = []
    for (place, profile) in text.profiles.enumerated() {
      if let path = keptRecording(place) { all.append(path) }
      var files: [(path: String, bytes: [UInt8])] = []
      if let perfetto {
        let bytes =
          perfetto.hasSuffix(".gz")
          ? TracePages.compressedPerfetto(profile.trace) : TracePages.perfetto(profile.trace)
        files.append((named(perfetto, place), bytes))
      }
      if let folder {
        for form in ProfileForm.allCases {
          let bytes = form.bytes(
            profile, comparison: comparison.map { ($0, place: place) }, charts: charts)
          guard let bytes else { continue }
          files.append(("\(folder)/\(named(form.fileName, place))", bytes))
        }
      }
      do throws(FileError) { try AtomicFile.write(files, overwrite: overwrites) } catch {
        throw ToolFailure(writing: error)
      }
      all += files.map(\.path)
    }
    return all
  }

  private func keptRecording(_ place: Int) -> String? {
    if keepsNone { return nil }
    if let trace { return named(trace, place) }
    return folder.map { "\($0)/\(named("profile.trace", place))" }
  }

  /// The name, with that of the scheduler in front of its ending for all but the first.
  private func named(_ path: String, _ place: Int) -> String {
    guard place > 0 else { return path }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path.hasSuffix(".gz") ? path.dropLast(3) : path[...]
    let dot = name[slash...].lastIndex(of: ".") ?? name.endIndex
    return "\(path[..<dot])-\(schedulers[place])\(path[dot...])"
  }
}

/// What lies in the folder of a profile beside the recording.
enum ProfileForm: CaseIterable {
  case page, picture, operations, workStacks, waitStacks, processorStacks, heapStacks

  var fileName: String {
    switch self {
    case .page: "profile.html"
    case .picture: "profile.svg"
    case .operations: "operations.csv"
    case .workStacks: "work.folded"
    case .waitStacks: "wait.folded"
    case .processorStacks: "perf.folded"
    case .heapStacks: "heap.folded"
    }
  }

  /// Nil for a page without a library to draw it, and for stacks that nobody asked for.
  func bytes(
    _ profile: Profile, comparison: (PageComparison, place: Int)?, charts: ChartLibrary?
  ) -> [UInt8]? {
    let trace = profile.trace
    switch self {
    case .page:
      return charts.map {
        TracePages.html(trace, report: profile.report, comparison: comparison, charts: $0)
      }
    case .picture: return TracePages.svg(trace)
    case .operations: return TracePages.operationsCSV(trace, report: profile.report)
    case .workStacks: return TracePages.folded(trace, weight: .work)
    case .waitStacks: return TracePages.folded(trace, weight: .wait)
    case .processorStacks: return profile.stacks[.processor]?.folded
    case .heapStacks: return profile.stacks[.heap]?.folded
    }
  }
}
