// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Results
package import SuiteFiles

/// Where `--suite` finds suites: those that are part of the program, and files.
package struct SuiteShelf: Sendable {
  private let shipped: [ShippedSelection]

  package init(_ shipped: [ShippedSelection] = []) { self.shipped = shipped }

  /// Every suite of the program, in the order in which they are shown.
  ///
  /// - Throws: when one of them is malformed.
  package func all() throws(ToolFailure) -> [SuiteFile] {
    var all: [SuiteFile] = []
    for selection in shipped { all.append(try Self.read(selection.bytes, name: selection.name)) }
    return all
  }

  /// The options that a suite may set: what is measured and how often, and nothing of where the
  /// results go.
  private static let options: [OptionName] = [
    .filter, .tag, .scheduler, .reference, .workers, .axes, .quick, .budget, .processes, .pairs,
    .seed, .allocator, .allocations, .cpus, .graph, .timeScale, .body,
  ]
  /// What selects workloads or graphs; words of the command line replace all of it.
  private static let selecting: [OptionName] = [.filter, .tag, .graph]

  /// Gives what is not set yet the values of the suite that the command line names, if it does.
  func fill(
    _ parsed: inout ParsedArguments, options: [OptionSpecification], cpuCount: Int
  ) throws(ToolFailure) {
    guard let name = parsed.text(.suite) else { return }
    let (suite, folder) = try named(name)
    parsed.suite = suite
    let isNarrowed = !parsed.words.isEmpty
    let selectsOtherwise = parsed.values[.graph] != nil || parsed.values[.tag] != nil
    if !isNarrowed, !selectsOtherwise { parsed.words = suite.workloads }
    for option in suite.options {
      let place = "\(suite.name): options.\(option.name)"
      guard let known = Self.options.first(where: { $0.rawValue == option.name }) else {
        let names = Self.options.map(\.rawValue)
        throw ToolFailure(
          .malformedInput, place: place, finding: "no suite sets this option",
          expectation: names.joined(separator: ", "),
          nextStep: NearestName.suggestion(for: option.name, in: names, otherwise: "leave it out"))
      }
      // Of another verb, such as the pairs of a comparison.
      guard let specification = options.first(where: { $0.name == known }) else { continue }
      var values = try Self.values(of: option, as: specification, place: place, cpuCount: cpuCount)
      if known == .graph { values = values.map { Self.path($0, in: folder) } }
      guard parsed.values[known] == nil else { continue }
      if Self.selecting.contains(known), isNarrowed || (selectsOtherwise && known != .filter) {
        continue
      }
      parsed.values[known] = values
    }
  }

  private static func values(
    of option: SuiteFile.Option, as specification: OptionSpecification, place: String, cpuCount: Int
  ) throws(ToolFailure) -> [OptionValue] {
    if case .flag = specification.shape {
      guard option.values == nil else {
        throw ToolFailure(
          .malformedInput, place: place, finding: "the option takes no value", expectation: "true")
      }
      return [.on]
    }
    guard let texts = option.values, !texts.isEmpty else {
      throw ToolFailure(
        .malformedInput, place: place, finding: "the option has no value",
        expectation: specification.shape.placeholder)
    }
    guard texts.count == 1 || specification.repeats else {
      throw ToolFailure(
        .malformedInput, place: place, finding: "the option has \(texts.count) values",
        expectation: "one")
    }
    var values: [OptionValue] = []
    for text in texts {
      do {
        values.append(try specification.value(of: text, place: place, cpuCount: cpuCount))
      } catch {
        throw ToolFailure(
          .malformedInput, place: error.place, finding: error.finding,
          expectation: error.expectation, nextStep: error.nextStep)
      }
    }
    return values
  }

  /// A path of a suite, which begins in the folder of its file; standard input stays what it is.
  private static func path(_ value: OptionValue, in folder: String) -> OptionValue {
    guard case .text(let path) = value, path != "-", !path.hasPrefix("/"), !folder.isEmpty else {
      return value
    }
    return .text("\(folder)/\(path)")
  }

  /// The suite, and the folder in which its paths begin: none for the present one.
  private func named(_ name: String) throws(ToolFailure) -> (SuiteFile, folder: String) {
    if let selection = shipped.first(where: { $0.name == name }) {
      return (try Self.read(selection.bytes, name: name), selection.folder)
    }
    let names = shipped.map(\.name)
    guard File.exists(name) else {
      throw .usage(
        OptionName.suite.flag, "`\(name)` is neither a suite nor a file",
        expected: names.joined(separator: ", ") + " or a JSON file",
        next: NearestName.suggestion(
          for: name, in: names, otherwise: "`bench list` shows the suites"))
    }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(name) } catch {
      throw ToolFailure(reading: error)
    }
    let folder = name.lastIndex(of: "/").map { String(name[..<$0]) }
    return (try Self.read(bytes, name: name), folder == "" ? "/" : folder ?? "")
  }

  private static func read(_ bytes: [UInt8], name: String) throws(ToolFailure) -> SuiteFile {
    do throws(SuiteFileError) { return try SuiteFile(bytes, name: name) } catch {
      throw ToolFailure(
        .malformedInput, place: error.place, finding: error.finding,
        expectation: error.expectation, nextStep: "compare it with a suite that is shipped")
    }
  }
}
