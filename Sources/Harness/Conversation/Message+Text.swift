// SPDX-License-Identifier: Apache-2.0

extension Message {
  /// The message as one line, without its line feed.
  package var line: String {
    var text = Self.word
    for field in Self.fields {
      for (key, value) in field.write(self) { text += " \(key)=\(LineText.escaped(value))" }
    }
    return text
  }

  /// Reads the message from its line; every field is known and every field is there.
  init(_ line: MessageLine) throws(MessageError) {
    var line = line
    self.init()
    for field in Self.fields { try field.read(&self, &line) }
    guard let strange = line.fields.keys.sorted().first else { return }
    let known = Self.fields.map(\.name)
    throw MessageError(
      "unknown field '\(MessageLine.shown(strange[...]))' in '\(line.word)'",
      expected: known.isEmpty ? "no field" : known.joined(separator: ", "))
  }
}
