// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// What is measured together and how, as a file that users copy and change: options of `bench run`
/// under a name.
package struct SuiteFile: Equatable, Sendable {
  /// An option of the command line with the values that stand for it.
  package struct Option: Equatable, Sendable {
    /// As typed after `--`.
    package let name: String
    /// As typed, one for each time that it is given; nil for a flag.
    package let values: [String]?
  }

  /// The name of one that is shipped, or the path of the file.
  package let name: String
  /// One line for `bench list`.
  package let summary: String
  /// How long a run takes on two processors, as typed for `--budget`.
  package let expected: String
  /// Names of workloads; those that the options select when there are none.
  package let workloads: [String]
  /// The options, sorted by name.
  package let options: [Option]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: JSON: an object with `summary`, `expected` and, both optional, `workloads` and
  ///     `options`.
  ///   - name: for messages and results.
  /// - Throws: what is wrong and where.
  package init(_ bytes: [UInt8], name: String) throws(SuiteFileError) {
    let members: [String: Member]
    do {
      members = try JSONDecoder().decode([String: Member].self, from: Data(bytes))
    } catch let error as DecodingError {
      throw SuiteFileError(malformed: bytes, in: name) ?? SuiteFileError(error, in: name)
    } catch {
      throw SuiteFileError(place: name, finding: "\(error)", expectation: "a JSON object")
    }
    if let unknown = members.keys.sorted().first(where: { !Self.members.contains($0) }) {
      throw SuiteFileError(
        place: "\(name): \(unknown)", finding: "no suite has this member",
        expectation: Self.members.joined(separator: ", "))
    }
    self.name = name
    summary = try Self.text("summary", of: members, in: name)
    expected = try Self.text("expected", of: members, in: name)
    workloads = try Self.list(members["workloads"], place: "\(name): workloads")
    options = try Self.options(members["options"], in: name)
  }

  private static let members = ["summary", "expected", "workloads", "options"]

  private static func text(
    _ key: String, of members: [String: Member], in file: String
  ) throws(SuiteFileError) -> String {
    guard case .text(let text)? = members[key], !text.isEmpty else {
      throw SuiteFileError(
        place: "\(file): \(key)", finding: members[key] == nil ? "it is missing" : "it is no text",
        expectation: key == "expected"
          ? "the time that the suite takes on two processors, such as \"2m\"" : "one line of text")
    }
    return text
  }

  private static func options(
    _ member: Member?, in file: String
  ) throws(SuiteFileError) -> [Option] {
    guard let member else { return [] }
    guard case .object(let values) = member else {
      throw SuiteFileError(
        place: "\(file): options", finding: "it is no object",
        expectation: "options of `bench run` without their dashes, such as {\"workers\": \"1,2\"}")
    }
    var options: [Option] = []
    for name in values.keys.sorted() {
      guard let value = values[name] else { continue }
      let place = "\(file): options.\(name)"
      switch value {
      case .flag(true): options.append(Option(name: name, values: nil))
      case .flag(false):
        throw SuiteFileError(
          place: place, finding: "false turns nothing off",
          expectation: "true, or no such member")
      default: options.append(Option(name: name, values: try list(value, place: place)))
      }
    }
    return options
  }

  private static func list(_ member: Member?, place: String) throws(SuiteFileError) -> [String] {
    switch member {
    case nil: return []
    case .list(let members)?:
      var texts: [String] = []
      for (index, member) in members.enumerated() {
        guard let text = member.asTyped else {
          throw SuiteFileError(
            place: "\(place)[\(index)]", finding: "it is neither a text nor a number",
            expectation: "what would be typed")
        }
        texts.append(text)
      }
      return texts
    case .some(let member):
      guard let text = member.asTyped else {
        throw SuiteFileError(
          place: place, finding: "it is neither a text, a number nor a list of them",
          expectation: "what would be typed")
      }
      return [text]
    }
  }
}

/// A value in the file.
private enum Member: Decodable {
  case flag(Bool)
  case number(Int)
  case text(String)
  case list([Member])
  case object([String: Member])

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    // Inside of lists and objects errors pass, so that they name their place.
    if var list = try? decoder.unkeyedContainer() {
      var members: [Member] = []
      while !list.isAtEnd { members.append(try list.decode(Member.self)) }
      self = .list(members)
    } else if let object = try? decoder.container(keyedBy: Key.self) {
      var members: [String: Member] = [:]
      for key in object.allKeys {
        members[key.stringValue] = try object.decode(Member.self, forKey: key)
      }
      self = .object(members)
    } else {
      let value = try decoder.singleValueContainer()
      if let flag = try? value.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? value.decode(Int.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else {
        throw DecodingError.dataCorruptedError(
          in: value, debugDescription: "a value that no option takes")
      }
    }
  }

  /// The text on the command line; nil for what has none.
  var asTyped: String? {
    switch self {
    case .text(let text): text
    case .number(let number): String(number)
    case .flag, .list, .object: nil
    }
  }
}
