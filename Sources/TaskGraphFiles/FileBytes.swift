// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Reads whole files into memory.
enum FileBytes {
  /// What a path names, links followed.
  enum Kind: Equatable {
    case missing, folder, file, other
    /// A pipe, with a name in the file system or without one.
    case pipe
    /// A link to this place, where no file is.
    case dangling(to: String)
  }

  /// Largest file that is read; offsets and numbers in the readers fit 32 bits because of it.
  static let largest = Int(Int32.max)

  /// What is at `path`.
  static func kind(of path: String) -> Kind {
    let resolved = identity(path)
    let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
    switch attributes?[.type] as? FileAttributeType {
    case nil: return .missing
    case .typeDirectory: return .folder
    case .typeRegular: return .file
    // What is left on this system.
    case .typeUnknown: return .pipe
    case .typeSymbolicLink:
      // Nothing to resolve it to: a dangling link, a circle of links, or an open descriptor of
      // what has no path, such as a file in memory or a pipe.
      let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: resolved)) ?? ""
      if target.hasPrefix("/memfd:") { return .file }
      if target.hasPrefix("pipe:[") { return .pipe }
      // `/dev/stdin` leads to such a descriptor.
      if target.hasPrefix("/proc/self/fd/") { return kind(of: target) }
      return target.hasPrefix("socket:[") ? .other : .dangling(to: target)
    default: return .other
    }
  }

  /// The path without links: equal for two paths of one file, except through hard links.
  static func identity(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
  }

  /// The bytes of a regular file.
  static func read(_ path: String) throws(TaskGraphError) -> [UInt8] {
    func failure(_ finding: String, _ remedy: String) -> TaskGraphError {
      TaskGraphError(path: path, finding: finding, expectation: "a readable file", remedy: remedy)
    }
    switch kind(of: path) {
    case .missing:
      throw failure("the file does not exist or is out of reach", "check the path and the rights")
    case .folder: throw failure("this is a folder", "name a file in it")
    case .other: throw failure("this is no regular file", "copy its content to a file first")
    case .pipe:
      throw failure(
        "this is a pipe, which can be read once only",
        "let it be standard input and name `-`, or name a file")
    case .dangling(let target):
      throw failure(
        "this is a link to `\(printable(target))`, which leads to no file",
        "mend the link, or name the file")
    case .file: break
    }
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) } catch {
      let isForbidden = (error as? CocoaError)?.code == .fileReadNoPermission
      throw failure(
        isForbidden ? "reading the file is not permitted" : "reading failed: \(error)",
        "check the rights")
    }
    if data.count > largest {
      throw failure(
        "the file has \(data.count) bytes, more than \(largest)", "record a smaller part")
    }
    return [UInt8](data)
  }
}
