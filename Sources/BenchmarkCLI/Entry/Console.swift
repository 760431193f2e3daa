// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Where the tool writes: data on one stream, talk on the other.
package struct Console {
  /// Writes data.
  package let out: (String) -> Void
  /// Writes messages and progress.
  package let talk: (String) -> Void
  /// Whether data goes to a terminal.
  package let outIsTerminal: Bool
  /// Whether messages go to a terminal.
  package let talkIsTerminal: Bool

  package init(
    out: @escaping (String) -> Void, talk: @escaping (String) -> Void,
    outIsTerminal: Bool = false, talkIsTerminal: Bool = false
  ) {
    self.out = out
    self.talk = talk
    self.outIsTerminal = outIsTerminal
    self.talkIsTerminal = talkIsTerminal
  }

  /// stdout and stderr of this process, both unbuffered.
  package static var standard: Console {
    Console(
      out: { write($0, to: 1) }, talk: { write($0, to: 2) }, outIsTerminal: isatty(1) == 1,
      talkIsTerminal: isatty(2) == 1)
  }

  /// A line on the stream for messages.
  package func say(_ line: String) { talk(line + "\n") }

  private static func write(_ text: String, to descriptor: Int32) {
    // SAFETY: the text lives through the call. A reader that went away wants no more; nobody is left to tell.
    _ = unsafe shim_write_text(descriptor, text)
  }
}
