// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Reads whole files into memory.
enum FileBytes {
  /// What a path names, links followed.
  enum Kind { case missing, folder, file, other }

  /// Largest file that is read; offsets and numbers in the readers fit 32 bits because of it.
  static let largest = Int(Int32.max)

  /// What is at `path`.
  static func kind(of path: String) -> Kind {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
      return .missing
    }
    switch attributes[.type] as? FileAttributeType {
    case .typeDirectory: return .folder
    case .typeRegular: return .file
    default: return .other
    }
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
