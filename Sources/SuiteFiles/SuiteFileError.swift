// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Why a suite cannot be read.
package struct SuiteFileError: Error, Equatable, Sendable {
  /// The file and the member in it.
  package let place: String
  package let finding: String
  package let expectation: String

  init(place: String, finding: String, expectation: String) {
    self.place = place
    self.finding = finding
    self.expectation = expectation
  }

  /// Where `bytes` are no JSON; nil when they are.
  ///
  /// The decoder does not say where.
  init?(malformed bytes: [UInt8], in name: String) {
    do {
      _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      return nil
    } catch {
      let text = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "no JSON"
      // Some of its messages count characters from the start of the file.
      let mark = "around character "
      let offset = text.firstRange(of: mark).flatMap { range in
        Int(text[range.upperBound...].prefix { $0.isNumber })
      }
      let line = offset.map { bytes.prefix($0).count { $0 == UInt8(ascii: "\n") } + 1 }
      self.init(
        place: line.map { "\(name): line \($0)" } ?? name, finding: text,
        expectation: "a JSON object, whole and well formed")
    }
  }

  /// What the decoder says of the file `name`.
  init(_ error: DecodingError, in name: String) {
    let context: DecodingError.Context
    switch error {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
      .dataCorrupted(let found):
      context = found
    @unknown default:
      self.init(place: name, finding: "\(error)", expectation: "a JSON object")
      return
    }
    var path = ""
    for key in context.codingPath {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue
      }
    }
    self.init(
      place: path.isEmpty ? name : "\(name): \(path)",
      finding: context.debugDescription,
      expectation: "a JSON object with summary, expected, workloads and options")
  }
}
