// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Pages whose snippets a test has word for word.
package enum Guide {
  /// The text of a page, by its path from the root of the package; empty when there is none.
  package static func text(of page: String, beside test: String) -> String {
    let root = test.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    return text(at: "\(root)/\(page)")
  }

  /// How many snippets of Swift the page has, and those that the test file lacks.
  ///
  /// Indentation does not count.
  package static func snippets(of page: String, in test: String) -> (count: Int, missing: [String])
  {
    func lines(_ text: String) -> [Substring] {
      text.split(separator: "\n").map { $0.drop { $0 == " " } }
    }
    let tests = lines(text(at: test)).joined(separator: "\n")
    var (count, missing) = (0, [String]())
    var snippet: [Substring]?
    for line in lines(text(of: page, beside: test)) {
      if line == "```swift" {
        snippet = []
      } else if line == "```", let lines = snippet {
        let text = lines.joined(separator: "\n")
        if !tests.contains(text) { missing.append(text) }
        count += 1
        snippet = nil
      } else {
        snippet?.append(line)
      }
    }
    return (count, missing)
  }

  private static func text(at path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
