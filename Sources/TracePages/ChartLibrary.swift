// SPDX-License-Identifier: Apache-2.0

package import Results

/// The library that draws the charts of a page, as `scripts/fetch-charts` leaves it in a folder.
///
/// A page holds all of it, so that it opens without a network. A plain value; any thread.
package struct ChartLibrary: Sendable {
  /// Names and versions.
  package let name: String
  /// The licences under which a page may hold it.
  package let licence: String
  /// The script.
  package let script: [UInt8]

  package init(name: String, licence: String, script: [UInt8]) {
    self.name = name
    self.licence = licence
    self.script = script
  }

  /// Reads the library from the folder where this user has it.
  ///
  /// That is `BENCH_CHARTS`, else `scheduler-bench/charts` below `XDG_CACHE_HOME`, else below
  /// `.cache` in the home folder.
  package static func installed(
    environment: [String: String]
  ) throws(ChartLibraryMissing) -> ChartLibrary {
    guard let folder = folder(environment) else {
      throw ChartLibraryMissing(folder: nil, error: nil)
    }
    do throws(FileError) {
      return ChartLibrary(
        name: try text("\(folder)/name.txt").split(separator: "\n").first.map(String.init) ?? "",
        licence: try text("\(folder)/licence.txt"), script: try File.read("\(folder)/charts.js"))
    } catch {
      throw ChartLibraryMissing(folder: folder, error: error)
    }
  }

  private static func folder(_ environment: [String: String]) -> String? {
    func set(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let folder = set("BENCH_CHARTS") { return folder }
    let cache = set("XDG_CACHE_HOME") ?? set("HOME").map { "\($0)/.cache" }
    return cache.map { "\($0)/scheduler-bench/charts" }
  }

  private static func text(_ path: String) throws(FileError) -> String {
    String(decoding: try File.read(path), as: UTF8.self)
  }
}

/// There is no library to draw charts with.
package struct ChartLibraryMissing: Error, Sendable, CustomStringConvertible {
  /// Where it was expected; nil where the environment names no place.
  package let folder: String?
  /// What was found there instead.
  package let error: FileError?

  /// Place, finding, expectation and next step, on one line.
  package var description: String {
    guard let folder else {
      return "charts: neither BENCH_CHARTS nor XDG_CACHE_HOME nor HOME is set; expected the folder "
        + "of the chart library; set one and run scripts/fetch-charts"
    }
    return "\(folder): no chart library (\(error?.path ?? folder) cannot be read); expected "
      + "charts.js, name.txt and licence.txt; run scripts/fetch-charts, or use the SVG and the CSV"
  }
}
