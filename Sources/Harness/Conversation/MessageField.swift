// SPDX-License-Identifier: Apache-2.0

/// What travels as one line, with its fields in a table that both writes and reads it.
package protocol Message: Equatable, Sendable {
  /// The first word of its line.
  static var word: String { get }
  /// Its fields, in the order in which they are written.
  static var fields: [MessageField<Self>] { get }
  /// A message whose fields are about to be read.
  init()
}

/// One kind of a value that is one of several.
struct MessageKind<Value>: Sendable {
  /// Its key.
  let key: String
  /// The text of a value of this kind; nil for a value of another.
  let text: @Sendable (Value) -> String?
  /// The value of a text.
  let value: @Sendable (String) -> Value
}

/// A field of a message, or several of which one is there: defined once, for writer and reader.
package struct MessageField<Content>: Sendable {
  /// What it is called, for messages about lines.
  let name: String
  /// Its keys and values.
  let write: @Sendable (Content) -> [(key: String, value: String)]
  /// Takes its value out of the line.
  let read: @Sendable (inout Content, inout MessageLine) throws(MessageError) -> Void

  private init(
    name: String, write: @escaping @Sendable (Content) -> [(key: String, value: String)],
    read: @escaping @Sendable (inout Content, inout MessageLine) throws(MessageError) -> Void
  ) {
    self.name = name
    self.write = write
    self.read = read
  }

  /// A value that is always there.
  ///
  /// - Parameters:
  ///   - expectation: what the text is when it can be read.
  ///   - encode: the text of a value.
  ///   - decode: the value of a text; nil when it is none.
  static func value<Value>(
    _ key: String, _ path: WritableKeyPath<Content, Value> & Sendable, expected: String,
    encode: @escaping @Sendable (Value) -> String, decode: @escaping @Sendable (String) -> Value?
  ) -> Self {
    Self(
      name: key, write: { [(key, encode($0[keyPath: path]))] },
      read: { content, line throws(MessageError) in
        guard let text = line.fields.removeValue(forKey: key) else {
          throw MessageError("'\(line.word)' without '\(key)'", expected: "\(key)=\(expected)")
        }
        content[keyPath: path] = try decoded(text, key, line.word, expected, decode)
      })
  }

  /// The same on every line.
  static func constant(_ key: String, _ text: String) -> Self {
    Self(
      name: key, write: { _ in [(key, text)] },
      read: { _, line throws(MessageError) in
        let found = line.fields.removeValue(forKey: key)
        guard found == text else {
          throw MessageError(
            "\(key)=\(found ?? "") in '\(line.word)'", expected: "\(key)=\(text)")
        }
      })
  }

  /// A value that is left out when there is none.
  static func optional<Value>(
    _ key: String, _ path: WritableKeyPath<Content, Value?> & Sendable, expected: String,
    encode: @escaping @Sendable (Value) -> String, decode: @escaping @Sendable (String) -> Value?
  ) -> Self {
    Self(
      name: key, write: { $0[keyPath: path].map { [(key, encode($0))] } ?? [] },
      read: { content, line throws(MessageError) in
        guard let text = line.fields.removeValue(forKey: key) else { return }
        content[keyPath: path] = try decoded(text, key, line.word, expected, decode)
      })
  }

  /// A value that is one of several kinds, each with a key of its own.
  static func either<Value>(
    _ path: WritableKeyPath<Content, Value> & Sendable,
    _ kinds: [MessageKind<Value>]
  ) -> Self {
    let keys = kinds.map(\.key).joined(separator: " or ")
    return Self(
      name: keys,
      write: { content in
        kinds.compactMap { kind in kind.text(content[keyPath: path]).map { (kind.key, $0) } }
      },
      read: { content, line throws(MessageError) in
        let given = kinds.filter { line.fields[$0.key] != nil }
        guard given.count == 1, let text = line.fields.removeValue(forKey: given[0].key) else {
          throw MessageError("'\(line.word)' with \(given.count) of them", expected: keys)
        }
        content[keyPath: path] = given[0].value(text)
      })
  }

  /// Any number of texts, their names behind a prefix.
  static func map(
    prefix: String, _ path: WritableKeyPath<Content, [String: String]> & Sendable
  ) -> Self {
    Self(
      name: "\(prefix)…",
      write: { content in
        content[keyPath: path].sorted { $0.key < $1.key }
          .map { (prefix + LineText.escapedKey($0.key), $0.value) }
      },
      read: { content, line throws(MessageError) in
        for (key, value) in line.fields where key.hasPrefix(prefix) {
          guard let name = LineText.plain(key.dropFirst(prefix.count)) else {
            throw MessageError("field '\(key)' in '\(line.word)'", expected: "%XX after every %")
          }
          line.fields[key] = nil
          content[keyPath: path][name] = value
        }
      })
  }

  private static func decoded<Value>(
    _ text: String, _ key: String, _ word: String, _ expected: String,
    _ decode: (String) -> Value?
  ) throws(MessageError) -> Value {
    guard let value = decode(text) else {
      throw MessageError(
        "\(key)=\(MessageLine.shown(text[...])) in '\(word)'", expected: "\(key)=\(expected)")
    }
    return value
  }
}

// MARK: - Kinds of values

extension MessageField {
  /// A whole number of a range.
  static func number<Number: FixedWidthInteger & Sendable>(
    _ key: String, _ path: WritableKeyPath<Content, Number> & Sendable,
    in range: ClosedRange<Number> = .min ... .max
  ) -> Self {
    value(key, path, expected: text(of: range), encode: { "\($0)" }) { text in
      Number(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A whole number of a range, left out when there is none.
  static func number<Number: FixedWidthInteger & Sendable>(
    _ key: String, _ path: WritableKeyPath<Content, Number?> & Sendable,
    in range: ClosedRange<Number> = .min ... .max
  ) -> Self {
    optional(key, path, expected: text(of: range), encode: { "\($0)" }) { text in
      Number(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Something that is so, left out when it is not.
  static func flag(_ key: String, _ path: WritableKeyPath<Content, Bool> & Sendable) -> Self {
    Self(
      name: key, write: { $0[keyPath: path] ? [(key, "yes")] : [] },
      read: { content, line throws(MessageError) in
        guard let text = line.fields.removeValue(forKey: key) else { return }
        content[keyPath: path] = try decoded(text, key, line.word, "yes") {
          $0 == "yes" ? true : nil
        }
      })
  }

  /// Any text.
  static func text(
    _ key: String, _ path: WritableKeyPath<Content, String> & Sendable
  ) -> Self {
    value(key, path, expected: "text", encode: { $0 }, decode: { $0 })
  }

  /// One of a few words.
  static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, _ path: WritableKeyPath<Content, Word> & Sendable
  ) -> Self {
    value(
      key, path, expected: Word.allCases.map(\.rawValue).joined(separator: " or "),
      encode: { $0.rawValue }, decode: { Word(rawValue: $0) })
  }

  /// A finite number, with every digit.
  static func decimal(
    _ key: String, _ path: WritableKeyPath<Content, Double> & Sendable
  ) -> Self {
    value(key, path, expected: "a finite number", encode: { "\($0)" }) { text in
      Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
  }

  /// Whole numbers with commas between them, at least one.
  static func numbers(
    _ key: String, _ path: WritableKeyPath<Content, [UInt64]> & Sendable
  ) -> Self {
    value(
      key, path, expected: "whole numbers with commas between them",
      encode: { $0.map(String.init).joined(separator: ",") },
      decode: { text in
        let pieces = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let values = pieces.compactMap { UInt64(Substring($0)) }
        return values.count == pieces.count ? values : nil
      })
  }

  private static func text<Number: FixedWidthInteger>(of range: ClosedRange<Number>) -> String {
    range == .min ... .max
      ? "a whole number" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }
}
