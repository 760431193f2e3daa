// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

extension TaskGraphFile {
  private static let manifestName = "build.ninja"

  /// The file that `path` means: the `build.ninja` of a folder or beside a `.ninja_log`, else
  /// itself.
  package static func file(at path: String) throws(TaskGraphError) -> String {
    if FileBytes.kind(of: path) == .folder {
      let file = manifest(in: path)
      if FileBytes.kind(of: file) == .missing {
        throw TaskGraphError(
          path: path, finding: "this is a folder without a build.ninja",
          expectation: "a graph file, or a folder that Ninja has built in", remedy: "name a file")
      }
      return file
    }
    guard fileName(path) == ".ninja_log", FileBytes.kind(of: path) == .file else { return path }
    let file = folder(path) + manifestName
    if FileBytes.kind(of: file) == .missing {
      throw TaskGraphError(
        path: path, finding: "there is no build.ninja beside this log, which has no dependencies",
        expectation: "both files of the build", remedy: "copy the manifest beside it")
    }
    return file
  }

  /// The graphs that `path` means: those in a folder without a `build.ninja`, by their names in
  /// order, else itself.
  ///
  /// Everything in such a folder is taken for a graph, except what has a name that begins with a
  /// dot; what is none is found by whoever reads it. Throws for a folder without any.
  package static func graphs(at path: String) throws(TaskGraphError) -> [String] {
    guard FileBytes.kind(of: path) == .folder, FileBytes.kind(of: manifest(in: path)) == .missing
    else { return [path] }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw TaskGraphError(
        path: path, finding: "the folder cannot be read: \(error)",
        expectation: "graph files in it",
        remedy: "check the rights")
    }
    let shown = names.filter { !$0.hasPrefix(".") }.sorted()
    if shown.isEmpty {
      throw TaskGraphError(
        path: path, finding: "this is a folder without a build.ninja and without any graph file",
        expectation: "graph files, or a folder that Ninja has built in",
        remedy: "name a file, or record one with `bench record`")
    }
    return shown.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
  }

  private static func manifest(in folder: String) -> String {
    folder.hasSuffix("/") ? folder + manifestName : "\(folder)/\(manifestName)"
  }
}
