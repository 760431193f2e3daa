// SPDX-License-Identifier: Apache-2.0

package import Results

/// A run as its files tell it.
package struct StoredRun: Sendable {
  /// Where the rows come from, as messages and headings name it.
  package let name: String
  /// The name for a file made from it, without an ending.
  package let stem: String
  /// Sound, and of one run; those that are wanted.
  package let rows: [ResultRow]
  /// Where the machine's description lies, if there is one; nil for standard input.
  private let environmentPath: String?

  /// Reads a results file, or standard input for `-`.
  ///
  /// - Throws: 65 when it cannot be read or is not sound.
  package init(
    path: String, console: Console, where isWanted: (ResultRow) -> Bool = { _ in true }
  ) throws(ToolFailure) {
    let isStandard = path == "-"
    name = isStandard ? "standard input" : path
    let file = path.split(separator: "/").last.map(String.init) ?? path
    stem = isStandard ? "stdin" : file.hasSuffix(".csv") ? String(file.dropLast(4)) : file
    environmentPath =
      isStandard ? nil : ResultsPlace(output: path, overwrites: false).environment
    let source = isStandard ? ByteSource(try console.input()) : try Self.source(path)
    do throws(ReadingError) {
      rows = try SchemaCheck.rows(source, path: name, where: isWanted)
    } catch {
      throw ToolFailure(error)
    }
  }

  /// What the file beside the rows says of the machine; empty when there is none.
  ///
  /// - Throws: 65 when it cannot be read, is malformed or is of another run.
  package func environment() throws(ToolFailure) -> EnvironmentRecord {
    guard let path = environmentPath, File.exists(path) else { return EnvironmentRecord() }
    let bytes = try Self.bytes(of: path)
    let record: EnvironmentRecord
    do throws(CSVError) { record = try EnvironmentRecord(csv: bytes, path: path) } catch {
      throw ToolFailure(error.finding)
    }
    if let run = record[.runID], let own = rows.first?.run.runID.text, run != own {
      throw ToolFailure(
        .malformedInput, place: path, finding: "it describes run \(run)",
        expectation: "run \(own), as in \(name)", nextStep: "bring the file of that run back")
    }
    return record
  }

  private static func source(_ path: String) throws(ToolFailure) -> ByteSource {
    do throws(FileError) { return try File.source(path) } catch {
      throw ToolFailure(reading: error)
    }
  }

  private static func bytes(of path: String) throws(ToolFailure) -> [UInt8] {
    do throws(FileError) { return try File.read(path) } catch {
      throw ToolFailure(reading: error)
    }
  }
}
